#include "reproduce/demo.h"

#include <cmath>
#include <filesystem>

#include "base/fail.h"
#include "base/folders.h"
#include "data/stats.h"
#include "data/synth.h"
#include "formats/json_fields.h"
#include "settings/config_words.h"
#include "sweep/sweep_fields.h"

namespace spml {

template <class Fields>
void json_fields(Fields& field, DemoData& data) {
  field("rows", data.rows);
  field("train_rows", data.train_rows);
  field("features", data.features);
  field("labels", data.labels);
  field("positives_per_row", data.positives_per_row);
}

namespace {

// The losses of the paper's first table, in its order.
constexpr const char* kLosses[] = {"bce",   "bce-ls", "iun", "iu",  "an",
                                   "an-ls", "wan",    "epr", "role"};

void check_is_demo(const DemoFolder& folder) {
  if (!is_folder(folder.path) || is_empty_folder(folder.path)) return;
  if (!is_folder(folder.data())) {
    fail("{}: expected a new folder or that of an earlier demo, found other files; choose another",
         folder.path.string());
  }
}

void make_data(const Path& folder, const DemoOptions& demo) {
  make_folder_inside(folder);
  if (path_exists(folder / "dataset.json")) return;  // written last
  SynthOptions options;
  options.rows = demo.rows;
  options.threads = demo.jobs;
  write_synthetic(folder, options);
}

std::vector<TrainConfig> grid(const DemoOptions& options) {
  std::vector<TrainConfig> configs;
  for (const char* loss : kLosses) {
    for (const double lr : kPaperLearningRates) {
      for (const size_t batch : kPaperBatches) {
        TrainConfig config;
        config.loss = loss;
        config.lr = lr;
        config.batch = batch;
        config.epochs = options.epochs;
        configs.push_back(config);
      }
    }
  }
  return configs;
}

DemoData describe(const Dataset& data) {
  const DataPart& train = data.train_file;
  const PartStats stats = part_stats(train);
  if (!stats.truth) {
    fail("{}: expected full labels (formatted_train_labels.npy), found none; choose a new folder",
         data.folder.string());
  }
  return {train.rows(), split_rows(train.rows()).train.size(), train.features.cols(), data.labels(),
          stats.truth->per_row.mean};
}

// The test MAP of a loss that the demo trains.
double test_map(const NamedList<Winner>& best, const std::string& loss) {
  const Winner* winner = best.find(loss);
  if (winner == nullptr || !winner->test_map()) {
    fail("expected a test MAP of loss '{}', found none; run the demo in a new folder", loss);
  }
  return *winner->test_map();
}

// "0.6 below", "1.2 above", "level with"
std::string distance(double difference) {
  if (std::abs(difference) < 0.05) return "level with";
  return fmt::format("{:.1f} {}", std::abs(difference), difference < 0 ? "below" : "above");
}

// The best of the losses that see one positive label per example and nothing else.
std::string best_single_positive(const NamedList<Winner>& best) {
  std::string name;
  for (const auto& [loss, winner] : best) {
    if (find_loss(loss).needs != LabelNeed::kObserved) continue;
    if (name.empty() || test_map(best, loss) > test_map(best, name)) name = loss;
  }
  return name;
}

// What `spml demo --json` prints.
struct DemoReport {
  SweepSummary sweep;
  DemoData data;
  std::vector<std::string> conclusions;
  std::optional<std::string> page;
};

template <class Fields>
void json_fields(Fields& field, DemoReport& report) {
  json_fields(field, report.sweep);
  field("data", report.data);
  field("conclusions", report.conclusions);
  field("page", report.page);
}

}  // namespace

DemoResult run_demo(const DemoFolder& folder, const DemoOptions& options,
                    const SweepEvents& events) {
  SweepOptions sweep;  // its time begins here
  check_is_demo(folder);
  make_data(folder.data(), options);
  DatasetOptions data_options;
  data_options.need_features = true;
  data_options.threads = options.jobs;
  const Dataset data = open_dataset(folder.data(), data_options);
  const DemoData described = describe(data);
  sweep.out = folder.sweep();
  make_folder_inside(sweep.out);
  sweep.jobs = options.jobs;
  DemoResult result{run_sweep(data, grid(options), sweep, events), described};
  check_complete(result.sweep.failed);
  return result;
}

std::vector<std::string> conclusions(const DemoResult& result) {
  const NamedList<Winner>& best = result.sweep.best;
  const DemoData& data = result.data;
  const std::string winner = best_single_positive(best);
  const double ceiling = test_map(best, "bce"), reached = test_map(best, winner),
               assumed = test_map(best, "an");
  std::vector<std::string> sentences;
  sentences.push_back(fmt::format(
      "The data: {} rows to learn from, {} features, {} labels, of which a row has {:.2f}.",
      data.train_rows, data.features, data.labels, data.positives_per_row));
  sentences.push_back(
      fmt::format("With all {} labels of every row known, bce reaches a test MAP of {:.1f}.",
                  data.labels, ceiling));
  sentences.push_back(fmt::format(
      "With one positive label per row and nothing else, {} does best: {:.1f}, {} full labels "
      "({:.1f} % of their MAP).",
      winner, reached, distance(reached - ceiling), 100 * reached / ceiling));
  if (winner == "an") {
    sentences.emplace_back(
        "No loss does better here than taking every unknown label for absent (an).");
  } else if (assumed < ceiling) {
    sentences.push_back(fmt::format(
        "Taking every unknown label for absent (an) costs {:.1f}; {} wins {:.0f} % of that back.",
        ceiling - assumed, winner, 100 * (reached - assumed) / (ceiling - assumed)));
  }
  return sentences;
}

std::string json_text(const DemoResult& result, const std::optional<Path>& page) {
  DemoReport report{result.sweep, result.data, conclusions(result), std::nullopt};
  if (page) report.page = page->string();
  return record_text(report, 2) + "\n";
}

}  // namespace spml
