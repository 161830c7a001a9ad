// spml evaluate
#include <fmt/core.h>

#include <cmath>
#include <memory>

#include "base/text.h"
#include "cli/expected.h"
#include "cli/flags/common_flags.h"
#include "cli/images.h"
#include "cli/print_json.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "imaging/model_input.h"
#include "run/evaluate.h"
#include "run/run_folder.h"
#include "run/run_record.h"

namespace spml::cli {
namespace {

struct Options {
  Common common;
  std::string run, data, split = "test";
};

ModelEvaluation evaluate(const Options& options) {
  TrainedModel trained = load_trained_model(options.run, options.common.threads);
  DatasetOptions data_options;
  data_options.need_features = data_options.load_features = !trained.is_fine_tuned();
  data_options.threads = options.common.threads;
  const Dataset data = open_dataset(options.data, data_options);
  check_fits(trained, data);
  if (trained.refit && options.split == "val" && !options.common.quiet) {
    notice(options.run +
           ": the model was trained once more on train and val (--refit), so that it "
           "has seen the rows of val");
  }
  const SplitRows split = rows_of_split(trained, data, options.split);
  const DataPart& part = split.part == Part::kTest ? data.test : data.train_file;
  const ModelInput input = with_image_work(options.common, [&](const ImageWork& work) {
    return model_input(trained, data, part, split.rows, work);
  });
  ModelEvaluation evaluation = evaluate_model(trained, *input.features, input.rows, part.truth,
                                              split.rows, options.common.threads);
  if (options.split == "val" && !evaluation.metrics) {
    evaluation.expected = read_run_result(RunFolder{options.run}.result()).expected;
  }
  return evaluation;
}

void print_at_cuts(const char* name, const std::array<double, 3>& values) {
  fmt::print("{:<10} {:>8.4f} {:>8.4f} {:>8.4f}\n", name, values[0], values[1], values[2]);
}

void print_text(const ModelEvaluation& evaluation) {
  fmt::print("{} rows, {} labels\n", evaluation.rows, evaluation.labels);
  fmt::print("predicted positives per row: {:.2f}\n", evaluation.khat);
  if (!evaluation.metrics) {
    if (evaluation.expected) return print_expected(*evaluation.expected, evaluation.classes);
    fmt::print("no truth for these rows: nothing to measure the scores against\n");
    return;
  }
  const auto& [map, ranking, f1, error, bins] = *evaluation.metrics;
  fmt::print("MAP {:.2f}  (over classes with a positive: {:.2f})\n", map.map,
             std::isnan(map.map_nonempty) ? 0.0 : map.map_nonempty);
  fmt::print("F1 at stored thresholds: micro {:.4f}  macro {:.4f}\n", f1.micro, f1.macro);
  fmt::print("calibration error of the probabilities: {:.4f}\n\n", error);
  fmt::print("{:<10} {:>8} {:>8} {:>8}\n", "at", "1", "3", "5");
  print_at_cuts("precision", ranking.precision_at);
  print_at_cuts("recall", ranking.recall_at);
  print_at_cuts("hit", ranking.hit_at);
  fmt::print("\n{:<24} {:>6}\n", "class", "AP");
  for (size_t j = 0; j < evaluation.classes.size(); ++j) {
    fmt::print("{:<24} {:>6.2f}\n", printable(evaluation.classes[j]), 100 * map.per_class_ap[j]);
  }
}

}  // namespace

Verb evaluate_verb() {
  auto options = std::make_shared<Options>();
  return {.name = "evaluate",
          .summary = "Metrics of a trained classifier",
          .examples = {{"spml evaluate run voc12 --split test", "Metrics on the test rows"}},
          .positionals = {run_folder(options->run), data_folder(options->data)},
          .flags = {{.name = "split",
                     .target = &options->split,
                     .help = "Rows to evaluate on",
                     .choices = {"train", "val", "test"}},
                    threads_flag(options->common)},
          .common = &options->common,
          .run = [options] {
            const ModelEvaluation evaluation = evaluate(*options);
            if (options->common.json) {
              print_json_text(json_text(evaluation));
            } else {
              print_text(evaluation);
            }
          }};
}

}  // namespace spml::cli
