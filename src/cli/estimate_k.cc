// spml estimate-k
#include "data/estimate_k.h"

#include <fmt/core.h>

#include <memory>

#include "base/fail.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "data/dataset.h"

namespace spml::cli {
namespace {

struct Arguments {
  Common common;
  std::string folder;
  KOptions options;
};

void run(const Arguments& arguments) {
  const Path file = truth_file(arguments.folder, "train");
  const LabelMatrix truth = open_labels(file);
  if (truth.empty()) {
    fail("{}: expected full labels to estimate k from, found no such file", file.string());
  }
  check_truth(truth, arguments.common.threads);
  KOptions options = arguments.options;
  options.seed = arguments.common.seed;
  options.threads = arguments.common.threads;
  const KEstimate estimate = estimate_k(truth, options);
  if (arguments.common.json) {
    Json intervals = Json::object();
    for (const KInterval& interval : estimate.intervals) {
      intervals[std::to_string(interval.size)] = {interval.low, interval.high};
    }
    print_json({{"k", estimate.k}, {"intervals", intervals}});
    return;
  }
  fmt::print("k = {:.2f} over {} rows\n\n{:>8}  {:>6}  {:>6}\n", estimate.k, truth.rows(),
             "labelled", "5 %", "95 %");
  for (const KInterval& interval : estimate.intervals) {
    fmt::print("{:>8}  {:>6.2f}  {:>6.2f}\n", interval.size, interval.low, interval.high);
  }
}

}  // namespace

void add_estimate_k(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  KOptions& options = arguments->options;
  CLI::App& verb =
      add_verb(app, "estimate-k", "How well k is known from a few fully labelled rows");
  verb.add_option("DIR", arguments->folder, "Data folder with full labels")->required();
  verb.add_option("--sizes", options.sizes, "Numbers of labelled rows")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::PositiveNumber)
      ->default_str("5,10,25");
  verb.add_option("--trials", options.trials, "Samples drawn for each size")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  verb.add_option("--seed", arguments->common.seed, "Seed of the samples")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add_threads(verb, arguments->common);
  add_json(verb, arguments->common);
  verb.callback([arguments] { run(*arguments); });
}

}  // namespace spml::cli
