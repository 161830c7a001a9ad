#include "run/evaluate.h"

#include <algorithm>

#include "base/sigmoid.h"
#include "formats/json_fields.h"
#include "run/run_record_fields.h"

namespace spml {
namespace {

// Scores held at once.
constexpr size_t kBlockEntries = size_t{8} << 20;

// The model's probabilities and the truth, block by block.
class Blocks {
 public:
  Blocks(TrainedModel& model, const FeatureMatrix& features, std::span<const int32_t> rows,
         const LabelMatrix& truth, std::span<const int32_t> truth_rows)
      : model_(model),
        features_(features),
        rows_(rows),
        truth_(truth),
        truth_rows_(truth_rows),
        labels_(model.classes.size()) {}

  // body(first label, probabilities, truth (empty without)) for some labels of all rows at a time.
  template <class Body>
  void for_label_blocks(const Body& body) {
    const size_t n = rows_.size();
    const size_t step = std::clamp<size_t>(kBlockEntries / std::max<size_t>(n, 1), 1, labels_);
    for (size_t first = 0; first < labels_; first += step) {
      body(first, scores(0, n, first, std::min(step, labels_ - first)), labels_of_block_);
    }
  }

  // body(probabilities, truth) for all labels of some rows at a time.
  template <class Body>
  void for_row_blocks(const Body& body) {
    size_t step = std::max<size_t>(1, kBlockEntries / labels_);
    if (step > kRankingBlock) step -= step % kRankingBlock;
    for (size_t begin = 0; begin < rows_.size(); begin += step) {
      body(scores(begin, std::min(step, rows_.size() - begin), 0, labels_), labels_of_block_);
    }
  }

  // The same block, calibrated.
  View<const float> calibrated(View<const float> block) const {
    return {calibrated_.data(), block.rows, block.cols};
  }

 private:
  View<const float> scores(size_t begin, size_t n, size_t first, size_t count) {
    scores_.resize(n * count);
    const View<float> out{scores_.data(), n, count};
    model_.model->predict(features_, rows_.subspan(begin, n), first, out);
    calibrated_ = scores_;
    model_.calibration.apply(first, {calibrated_.data(), n, count});
    sigmoid_in_place(out.flat());
    if (!truth_.empty()) {
      values_.resize(n * count);
      for (size_t i = 0; i < n; ++i) {
        truth_.read_part(static_cast<size_t>(truth_rows_[begin + i]), first,
                         {values_.data() + i * count, count});
      }
      labels_of_block_ = {values_.data(), n, count};
    }
    return out;
  }

  TrainedModel& model_;
  const FeatureMatrix& features_;
  std::span<const int32_t> rows_;
  const LabelMatrix& truth_;
  std::span<const int32_t> truth_rows_;
  size_t labels_;
  std::vector<float> scores_, calibrated_;
  std::vector<int8_t> values_;
  View<const int8_t> labels_of_block_;
};

NamedList<double> at_cuts(const std::array<double, 3>& values) {
  NamedList<double> named;
  for (size_t i = 0; i < kRankingCuts.size(); ++i) {
    named[std::to_string(kRankingCuts[i])] = values[i];
  }
  return named;
}

struct F1Record {
  double micro = 0, macro = 0;
  const std::vector<float>* thresholds = nullptr;
};

// At the thresholds in the run folder.
struct F1Stored {
  double micro = 0, macro = 0;
};

void json_fields(FieldWriter& field, F1Stored& f1) {
  field("micro", f1.micro);
  field("macro", f1.macro);
}

void json_fields(FieldWriter& field, F1Record& f1) {
  field("micro", f1.micro);
  field("macro", f1.macro);
  field("threshold", *f1.thresholds);
}

}  // namespace

// Only written, never read. Without truth its metrics are null.
static void json_fields(FieldWriter& field, ModelEvaluation& evaluation) {
  std::optional<double> map, map_nonempty;
  std::optional<std::vector<double>> per_class;
  std::optional<NamedList<double>> precision, recall, hit;
  std::optional<F1Record> f1;
  std::optional<F1Stored> f1_stored;
  std::optional<double> ece;
  std::optional<std::vector<ReliabilityBin>> reliability;
  if (evaluation.metrics) {
    const auto& [result, ranking, f1_scores, calibration_error, bins] = *evaluation.metrics;
    map = result.map;
    map_nonempty = result.map_nonempty;
    per_class.emplace();
    for (const double ap : result.per_class_ap) per_class->push_back(100 * ap);
    precision = at_cuts(ranking.precision_at);
    recall = at_cuts(ranking.recall_at);
    hit = at_cuts(ranking.hit_at);
    f1 = F1Record{f1_scores.micro, f1_scores.macro, &evaluation.thresholds};
    f1_stored = F1Stored{f1_scores.micro, f1_scores.macro};
    ece = calibration_error;
    reliability = bins;
  }
  field("map", map);
  field("map_nonempty", map_nonempty);
  field("per_class_ap", per_class);
  field("precision_at", precision);
  field("recall_at", recall);
  field("hit_at", hit);
  field("f1", f1);
  field("f1_stored", f1_stored);
  field("ece", ece);
  field("reliability", reliability);
  field("expected", evaluation.expected);
  field("khat", evaluation.khat);
  field("khat_raw", evaluation.khat_raw);
  field("rows", evaluation.rows);
  field("labels", evaluation.labels);
  field("classes", evaluation.classes);
}

ModelEvaluation evaluate_model(TrainedModel& model, const FeatureMatrix& features,
                               std::span<const int32_t> rows, const LabelMatrix& truth,
                               std::span<const int32_t> truth_rows, int threads) {
  ModelEvaluation evaluation;
  evaluation.thresholds = model.thresholds;
  evaluation.rows = rows.size();
  evaluation.labels = model.classes.size();
  evaluation.classes = model.classes;
  Blocks blocks(model, features, rows, truth, truth_rows);
  MapResult map;
  F1Counts f1;
  Reliability reliability;
  blocks.for_label_blocks([&](size_t first, View<const float> p, View<const int8_t> labels) {
    const View<const float> calibrated = blocks.calibrated(p);
    evaluation.khat += expected_positives(calibrated);
    evaluation.khat_raw += expected_positives(p);
    if (truth.empty()) return;
    append(map, mean_average_precision(p, labels, threads));
    f1.add_labels(calibrated, labels, std::span(model.thresholds).subspan(first, p.cols));
    reliability.add(calibrated, labels);
  });
  if (truth.empty()) return evaluation;
  summarise(map);
  RankingTotals ranking;
  blocks.for_row_blocks([&](View<const float> p, View<const int8_t> labels) {
    ranking.add_rows(p, labels, threads);
  });
  evaluation.metrics = TruthMetrics{std::move(map), ranking.result(), f1.result(),
                                    reliability.error(), reliability.bins()};
  return evaluation;
}

std::string json_text(const ModelEvaluation& evaluation) {
  return record_text(evaluation, 2) + "\n";
}

}  // namespace spml
