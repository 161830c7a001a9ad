#include "fit/measure.h"

#include <algorithm>

#include "base/fail.h"
#include "train/finite_scores.h"

namespace spml {
namespace {

constexpr size_t kHistogramBins = 50;

}  // namespace

RunResult measure(Session& session) {
  const LoopState& state = session.loop.state();
  RunResult result;
  result.loss = session.config.loss;
  result.mode = session.config.mode;
  result.lr = session.config.learning_rate();
  result.batch = session.config.batch;
  result.epochs = takes_steps(session.config) ? session.config.epoch_count() : 1;
  result.seed = session.config.seed;
  result.k = session.prepared.k;
  result.k_from = session.prepared.k_from;
  result.selected_on = session.prepared.validates_on_full_labels() ? "clean" : "observed";
  result.params = session.params;
  result.settings = session.config;
  result.best_epoch = state.best_epoch;
  result.val_map = state.best_val_map;
  result.steps = state.step;
  result.train_seconds = state.train_seconds;
  if (!session.prepared.truth().empty()) {
    const Evaluator train =
        session.evaluator(Part::kTrainFile, session.prepared.split.train, session.prepared.truth());
    const Evaluation on_train = train.evaluate(*session.model);
    expect_finite(on_train, "the model on the training rows");
    result.train_map = on_train.map.map;
  }
  const DataPart& test_part = session.data.test;
  if (!test_part.truth.empty() && session.has_inputs(test_part)) {
    const auto rows = all_rows(test_part);
    const Evaluator test = session.evaluator(Part::kTest, rows, test_part.truth);
    const Evaluation on_test = test.evaluate(*session.model);
    expect_finite(on_test, "the model on the test rows");
    const MapResult& map = on_test.map;
    result.test_map = map.map;
    result.test_map_nonempty = map.map_nonempty;
    for (const double ap : map.per_class_ap) result.per_class_ap.push_back(100 * ap);
  }
  return result;
}

std::vector<uint32_t> count_unobserved_positives(Session& session) {
  const LabelMatrix& truth = session.prepared.truth();
  if (truth.empty()) {
    fail("--record unobserved-positives needs full labels, and the data has none");
  }
  std::vector<uint32_t> counts(kHistogramBins);
  std::vector<int8_t> observed(session.data.labels());
  const auto& rows = session.prepared.split.train;
  const Evaluator train(Part::kTrainFile, rows, truth, session.threads, session.part);
  train.for_label_blocks(
      *session.model, [&](size_t first, View<const float> p, View<const int8_t> positive) {
        for (size_t i = 0; i < p.rows; ++i) {
          session.prepared.observed().read_row(static_cast<size_t>(rows[i]), observed);
          for (size_t j = 0; j < p.cols; ++j) {
            if (positive(i, j) <= 0 || observed[session.part.first + first + j] > 0) continue;
            const auto bin = p(i, j) > 0 ? static_cast<size_t>(p(i, j) * kHistogramBins) : 0;
            ++counts[std::min(bin, kHistogramBins - 1)];
          }
        }
      });
  Cluster* const cluster =
      session.part.is_split() ? session.part.cluster : session.row_part.cluster;
  if (cluster != nullptr) {  // each has counted its labels, or its rows
    std::vector<double> sums(counts.begin(), counts.end());
    cluster->sum(std::span<double>(sums));
    std::transform(sums.begin(), sums.end(), counts.begin(),
                   [](double sum) { return static_cast<uint32_t>(sum); });
  }
  return counts;
}

void add_to_record(Session& session, EpochRecord& record) {
  if (!session.config.record_unobserved_positives) return;
  record.unobserved_positives = count_unobserved_positives(session);
}

}  // namespace spml
