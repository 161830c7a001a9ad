// spml synth
#include "data/synth.h"
#include "cli/flags/common_flags.h"

#include <fmt/core.h>

#include <memory>

#include "cli/print_json.h"
#include "cli/verbs.h"
#include "data/folder_update.h"
#include "imaging/scene_painter.h"

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
  FolderUpdate update(folder, arguments.overwrite);
  write_synthetic(update.staging(), options, draw);
  update.finish();
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

Verb synth_verb() {
  auto arguments = std::make_shared<Arguments>();
  SynthOptions& options = arguments->options;
  return {.name = "synth",
          .summary = "Write a synthetic data folder",
          .examples = {{"spml synth --out toy --rows 500 --labels 8",
                        "A small data set to try things on"}},
          .flags = {{.name = "out",
                     .target = &arguments->folder,
                     .help = "Folder to write",
                     .hint = "DIR",
                     .required = true,
                     .complete = Complete::kFolder},
                    {.name = "rows",
                     .target = &options.rows,
                     .help = "Rows of the training file",
                     .range = kAtLeastOne},
                    {.name = "test-rows",
                     .target = &options.test_rows,
                     .help = "Rows of the test file",
                     .range = kAtLeastOne,
                     .default_text = "half of the training file's"},
                    {.name = "labels",
                     .target = &options.labels,
                     .help = "Labels (classes)",
                     .range = kAtLeastOne},
                    {.name = "features",
                     .target = &options.features,
                     .help = "Features of a row",
                     .range = kAtLeastOne},
                    {.name = "expected-positives",
                     .target = &options.expected_positives,
                     .help = "Positives in a row on average; from 1 on, every row has at least one",
                     .hint = "K",
                     .default_text = "1.5, at most L/2"},
                    {.name = "seed", .target = &arguments->common.seed, .help = "Seed of the data"},
                    {.name = "images",
                     .target = &arguments->images,
                     .help = "Draw scenes as JPEG files instead of features"},
                    {.name = "image-size",
                     .target = &arguments->image_size,
                     .help = "Width and height of the images in pixels",
                     .range = {32, 1024}},
                    {.name = "overwrite",
                     .target = &arguments->overwrite,
                     .help = "Write into a folder that is not empty",
                     .consent = true},
                    threads_flag(arguments->common)},
          .common = &arguments->common,
          .run = [arguments] { run(*arguments); }};
}

}  // namespace spml::cli
