// spml observe
#include "data/observe.h"

#include <fmt/core.h>

#include <memory>

#include "base/fail.h"
#include "cli/options.h"
#include "cli/verbs.h"

namespace spml::cli {
namespace {

struct Arguments {
  Common common;
  std::string folder;
  std::string bias = "uniform";
  ObserveOptions draw;
  bool force = false;
};

void run(const Arguments& arguments) {
  const Path folder = arguments.folder;
  std::vector<std::pair<Path, LabelMatrix>> files;  // what to write, drawn from what
  for (const char* part : {"train", "val"}) {
    LabelMatrix truth = open_labels(truth_file(folder, part));
    if (!truth.empty()) files.emplace_back(observed_file(folder, part), std::move(truth));
  }
  if (files.empty()) {
    fail("{}: expected full labels to draw from, found none", truth_file(folder, "train").string());
  }
  for (const auto& [path, truth] : files) {
    if (!arguments.force && std::filesystem::exists(path)) {
      fail("{}: exists already; --force replaces it", path.string());
    }
    check_truth(truth, arguments.common.threads);
  }
  Json written = Json::array();
  for (const auto& [path, truth] : files) {
    write_labels(path, draw_observed(truth, arguments.draw));
    written.push_back({{"file", path.string()}, {"rows", truth.rows()}, {"labels", truth.cols()}});
    if (!arguments.common.json) {
      fmt::print("{}: {} x {} observed labels\n", path.string(), truth.rows(), truth.cols());
    }
  }
  if (arguments.common.json) {
    print_json({{"files", written},
                {"num_pos", arguments.draw.num_pos},
                {"num_neg", arguments.draw.num_neg},
                {"seed", arguments.draw.seed},
                {"bias", arguments.bias}});
  }
}

}  // namespace

void add_observe(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App& verb = add_verb(app, "observe", "Draw observed labels from full labels");
  verb.add_option("DIR", arguments->folder, "Data folder")->required();
  verb.add_option("--num-pos", arguments->draw.num_pos, "Positives to keep in each row")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb.add_option("--num-neg", arguments->draw.num_neg, "Negatives to keep in each row")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb.add_option("--seed", arguments->draw.seed, "Seed of the draw; the paper's is 1200")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb.add_option("--bias", arguments->bias, "How positives are chosen")
      ->check(CLI::IsMember({"uniform"}))
      ->capture_default_str();
  verb.add_flag("--force", arguments->force, "Replace _obs files that exist");
  add_threads(verb, arguments->common);
  add_json(verb, arguments->common);
  verb.callback([arguments] { run(*arguments); });
}

}  // namespace spml::cli
