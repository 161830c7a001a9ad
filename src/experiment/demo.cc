#include "experiment/demo.h"

#include <cmath>
#include <filesystem>

#include "base/fail.h"
#include "data/synth.h"

namespace spml {
namespace {

// The losses of the paper's first table, in its order.
constexpr const char* kLosses[] = {"bce",   "bce-ls", "iun", "iu",  "an",
                                   "an-ls", "wan",    "epr", "role"};
constexpr size_t kRows = 5000;  // 4,000 to train on; the test file has half as many

void make_data(const Path& folder, int threads) {
  if (std::filesystem::exists(folder / "dataset.json")) return;  // written last
  make_folder(folder);
  SynthOptions options;
  options.rows = kRows;
  options.threads = threads;
  write_synthetic(folder, options);
}

double test_map(const Json& winner) { return winner.at("test_map").get<double>(); }

// "0.6 below", "1.2 above", "level with"
std::string distance(double difference) {
  if (std::abs(difference) < 0.05) return "level with";
  return fmt::format("{:.1f} {}", std::abs(difference), difference < 0 ? "below" : "above");
}

// The best of the losses that see one positive label per example and nothing else.
std::string best_single_positive(const Json& best) {
  std::string name;
  for (const auto& [loss, winner] : best.items()) {
    if (find_loss(loss).needs != LabelNeed::kObserved) continue;
    if (name.empty() || test_map(winner) > test_map(best[name])) name = loss;
  }
  return name;
}

}  // namespace

Json run_demo(const DemoFolder& folder, int jobs, const SweepEvents& events) {
  make_data(folder.data(), jobs);
  DatasetOptions data_options;
  data_options.need_features = true;
  data_options.threads = jobs;
  const Dataset data = open_dataset(folder.data(), data_options);
  std::vector<TrainConfig> grid;
  for (const char* loss : kLosses) {
    for (const double lr : kPaperLearningRates) {
      for (const size_t batch : kPaperBatches) {
        TrainConfig config;
        config.loss = loss;
        config.lr = lr;
        config.batch = batch;
        grid.push_back(config);
      }
    }
  }
  SweepOptions sweep;
  sweep.out = folder.sweep();
  sweep.jobs = jobs;
  return run_sweep(data, grid, sweep, events);
}

std::vector<std::string> conclusions(const Json& best) {
  const Json& full = best.at("bce");
  const std::string winner = best_single_positive(best);
  const double ceiling = test_map(full), reached = test_map(best.at(winner)),
               assumed = test_map(best.at("an"));
  std::vector<std::string> sentences;
  sentences.push_back(
      fmt::format("With all {} labels of every example known, bce reaches a test MAP of {:.1f}.",
                  full.at("per_class_ap").size(), ceiling));
  sentences.push_back(
      fmt::format("With one positive label per example and nothing else, {} does best: {:.1f}, {} "
                  "full labels ({:.0f} % of their MAP).",
                  winner, reached, distance(reached - ceiling), 100 * reached / ceiling));
  if (winner == "an") {
    sentences.push_back(
        "No loss does better here than taking every unknown label for absent (an).");
  } else if (assumed < ceiling) {
    sentences.push_back(fmt::format(
        "Taking every unknown label for absent (an) costs {:.1f}; {} wins {:.0f} % of that back.",
        ceiling - assumed, winner, 100 * (reached - assumed) / (ceiling - assumed)));
  }
  return sentences;
}

}  // namespace spml
