// spml evaluate
#include <fmt/core.h>

#include <memory>

#include "base/fail.h"
#include "base/sigmoid.h"
#include "cli/model_input.h"
#include "cli/print_json.h"
#include "cli/verbs.h"
#include "experiment/trained_model.h"
#include "metrics/average_precision.h"
#include "metrics/ranking.h"

namespace spml::cli {
namespace {

struct Options {
  Common common;
  std::string run, data, split = "test";
};

Json at_cuts(const std::array<double, 3>& values) {
  Json json;
  for (size_t i = 0; i < kRankingCuts.size(); ++i) {
    json[std::to_string(kRankingCuts[i])] = values[i];
  }
  return json;
}

std::vector<int8_t> read_rows(const LabelMatrix& labels, const std::vector<int32_t>& rows) {
  const size_t L = labels.cols();
  std::vector<int8_t> values(rows.size() * L);
  for (size_t i = 0; i < rows.size(); ++i) {
    labels.read_row(static_cast<size_t>(rows[i]), std::span(values).subspan(i * L, L));
  }
  return values;
}

Json metrics(View<const float> scores, const std::vector<int8_t>& truth_values,
             const TrainedModel& trained, int threads) {
  const View<const int8_t> truth{truth_values.data(), scores.rows, scores.cols};
  const MapResult map = mean_average_precision(scores, truth, threads);
  const RankingResult ranking = ranking_metrics(scores, truth, threads);
  const F1Result f1 = f1_scores(scores, truth, trained.thresholds);
  Json json;
  json["map"] = map.map;
  json["map_nonempty"] = map.map_nonempty;
  json["per_class_ap"] = Json::array();
  for (const double ap : map.per_class_ap) json["per_class_ap"].push_back(100 * ap);
  json["precision_at"] = at_cuts(ranking.precision_at);
  json["recall_at"] = at_cuts(ranking.recall_at);
  json["hit_at"] = at_cuts(ranking.hit_at);
  json["f1"] = {{"micro", f1.micro}, {"macro", f1.macro}, {"threshold", trained.thresholds}};
  return json;
}

// Without truth only the predicted number of positives can be told.
Json no_metrics() {
  Json json;
  for (const char* name :
       {"map", "map_nonempty", "per_class_ap", "precision_at", "recall_at", "hit_at", "f1"}) {
    json[name] = nullptr;
  }
  return json;
}

Json evaluate(const Options& options) {
  TrainedModel trained = load_trained_model(options.run, options.common.threads);
  DatasetOptions data_options;
  data_options.need_features = data_options.load_features = !trained.is_fine_tuned();
  data_options.threads = options.common.threads;
  const Dataset data = open_dataset(options.data, data_options);
  check_fits(trained, data);
  const SplitRows split = rows_of_split(trained, data, options.split);
  const DataPart& part = split.part == Part::kTest ? data.test : data.train_file;

  const size_t n = split.rows.size(), labels = trained.classes.size();
  std::vector<float> scores(n * labels);
  const View<float> out{scores.data(), n, labels};
  const ModelInput input = model_input(trained, data, part, split.rows, options.common);
  trained.model->predict(*input.features, input.rows, 0, out);
  sigmoid_in_place(out.flat());
  Json json = part.truth.empty() ? no_metrics()
                                 : metrics(out, read_rows(part.truth, split.rows), trained,
                                           options.common.threads);
  json["khat"] = expected_positives(out);
  json["rows"] = n;
  json["labels"] = labels;
  json["classes"] = trained.classes;
  return json;
}

void print_text(const Json& json) {
  fmt::print("{} rows, {} labels\n", json["rows"].get<size_t>(), json["labels"].get<size_t>());
  fmt::print("predicted positives per row: {:.2f}\n", json["khat"].get<double>());
  if (json["map"].is_null()) {
    fmt::print("no truth for these rows: nothing to measure the scores against\n");
    return;
  }
  fmt::print("MAP {:.2f}  (over classes with a positive: {:.2f})\n", json["map"].get<double>(),
             json["map_nonempty"].is_null() ? 0.0 : json["map_nonempty"].get<double>());
  fmt::print("F1 at tuned thresholds: micro {:.4f}  macro {:.4f}\n\n",
             json["f1"]["micro"].get<double>(), json["f1"]["macro"].get<double>());
  fmt::print("{:<10} {:>8} {:>8} {:>8}\n", "at", "1", "3", "5");
  for (const char* name : {"precision_at", "recall_at", "hit_at"}) {
    const Json& values = json[name];
    fmt::print("{:<10} {:>8.4f} {:>8.4f} {:>8.4f}\n",
               std::string_view(name).substr(0, std::string_view(name).find('_')),
               values["1"].get<double>(), values["3"].get<double>(), values["5"].get<double>());
  }
  fmt::print("\n{:<24} {:>6}\n", "class", "AP");
  for (size_t j = 0; j < json["classes"].size(); ++j) {
    fmt::print("{:<24} {:>6.2f}\n", json["classes"][j].get<std::string>(),
               json["per_class_ap"][j].get<double>());
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
            const Json json = evaluate(*options);
            if (options->common.json) {
              print_json(json);
            } else {
              print_text(json);
            }
          }};
}

}  // namespace spml::cli
