// spml synth
#include "data/synth.h"

#include <fmt/core.h>

#include <memory>

#include "base/fail.h"
#include "cli/images.h"
#include "cli/options.h"
#include "cli/verbs.h"

namespace spml::cli {
namespace {

struct Arguments {
  Common common;
  std::string folder;
  SynthOptions options;
  bool overwrite = false, images = false;
  int image_size = 128;
};

void run(const Arguments& arguments) {
  SynthOptions options = arguments.options;
  options.seed = arguments.common.seed;
  options.threads = arguments.common.threads;
  const double k = SyntheticModel(options).expected_positives();  // checks before it writes
  const DrawImage draw =
      arguments.images ? scene_painter(arguments.image_size, options.seed) : DrawImage();
  const Path folder = arguments.folder;
  if (!arguments.overwrite && std::filesystem::is_directory(folder) &&
      !std::filesystem::is_empty(folder)) {
    fail("{}: the folder is not empty; choose another or give --overwrite", folder.string());
  }
  make_folder(folder);
  write_synthetic(folder, options, draw);
  if (arguments.common.json) {
    print_json({{"folder", folder.string()},
                {"rows", options.rows},
                {"labels", options.labels},
                {"features", arguments.images ? Json() : Json(options.features)},
                {"image_size", arguments.images ? Json(arguments.image_size) : Json()},
                {"expected_positives", k},
                {"seed", options.seed}});
    return;
  }
  fmt::print("{}: {} rows, {} labels, {}, {} positives per row expected\n", folder.string(),
             options.rows, options.labels,
             arguments.images ? fmt::format("images of {0} x {0}", arguments.image_size)
                              : fmt::format("{} features", options.features),
             k);
}

}  // namespace

void add_synth(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  SynthOptions& options = arguments->options;
  CLI::App& verb = add_verb(app, "synth", "Write a synthetic data folder");
  verb.add_option("--out", arguments->folder, "Folder to write")->required()->type_name("DIR");
  verb.add_option("--rows", options.rows, "Rows of the training file")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb.add_option("--test-rows", options.test_rows, "Rows of the test file")
      ->check(CLI::PositiveNumber)
      ->default_str("half of the training file's");
  verb.add_option("--labels", options.labels, "Labels (classes)")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb.add_option("--features", options.features, "Features of a row")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb.add_option("--expected-positives", options.expected_positives,
                  "Positives in a row on average; at least one in each row when this is 1 or more")
      ->default_str("1.5, at most L/2");
  verb.add_option("--seed", arguments->common.seed, "Seed of the data")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb.add_flag("--images", arguments->images, "Draw scenes as JPEG files instead of features");
  verb.add_option("--image-size", arguments->image_size, "Their width and height in pixels")
      ->check(CLI::Range(32, 1024))
      ->capture_default_str();
  verb.add_flag("--overwrite", arguments->overwrite, "Write into a folder that is not empty");
  add_threads(verb, arguments->common);
  add_json(verb, arguments->common);
  verb.callback([arguments] { run(*arguments); });
}

}  // namespace spml::cli
