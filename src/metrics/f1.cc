// F1 of thresholded predictions, and the thresholds that make it best.
#include <algorithm>

#include "base/fail.h"
#include "metrics/class_scores.h"
#include "metrics/inputs.h"
#include "metrics/ranking.h"

namespace spml {
namespace {

double f1(double tp, double fp, double fn) { return tp == 0 ? 0 : 2 * tp / (2 * tp + fp + fn); }

// Halfway between neighbouring scores, and never so close to the lower one as to include it.
float between(float lower, float upper) {
  const auto middle = static_cast<float>((static_cast<double>(lower) + upper) / 2);
  return middle > lower ? middle : upper;
}

float best_threshold(const ClassScores& scores) {
  const auto positives = scores.positives();
  const auto negatives = scores.negatives();
  const auto P = static_cast<double>(positives.size());
  if (positives.empty()) return 0.5F;
  size_t above = positives.size(), above_negative = negatives.size();
  double best = 0;
  float threshold = 0;
  // A cut just below a negative is never better than the one above it: visit positives only.
  while (above > 0) {
    const uint32_t t = positives[above - 1];
    while (above > 0 && positives[above - 1] == t) --above;
    while (above_negative > 0 && negatives[above_negative - 1] >= t) --above_negative;
    const double tp = P - static_cast<double>(above);
    const auto fp = static_cast<double>(negatives.size() - above_negative);
    const double value = f1(tp, fp, P - tp);
    if (value <= best) continue;
    best = value;
    threshold = score_of_key(t);
    uint32_t below = 0;  // no finite score has this key
    if (above > 0) below = positives[above - 1];
    if (above_negative > 0) below = std::max(below, negatives[above_negative - 1]);
    if (below > 0) threshold = between(score_of_key(below), threshold);
  }
  return threshold;
}

}  // namespace

F1Result f1_scores(View<const float> scores, View<const int8_t> truth,
                   const std::vector<float>& thresholds) {
  F1Counts counts;
  counts.add_labels(scores, truth, thresholds);
  return counts.result();
}

void F1Counts::add_labels(View<const float> scores, View<const int8_t> truth,
                          std::span<const float> thresholds) {
  check_metric_inputs(scores, truth);
  const size_t L = scores.cols, first = hits_.size();
  if (thresholds.size() != L) {
    fail("metrics: expected {} thresholds, one per class, found {}", L, thresholds.size());
  }
  for (auto* counts : {&hits_, &predicted_, &positives_}) counts->resize(first + L);
  for (size_t i = 0; i < scores.rows; ++i) {
    for (size_t j = 0; j < L; ++j) {
      const bool prediction = scores(i, j) >= thresholds[j];
      const bool positive = truth(i, j) > 0;
      hits_[first + j] += prediction && positive;
      predicted_[first + j] += prediction;
      positives_[first + j] += positive;
    }
  }
}

F1Result F1Counts::result() const {
  F1Result result;
  double all_tp = 0, all_fp = 0, all_fn = 0;
  for (size_t j = 0; j < hits_.size(); ++j) {
    const auto tp = static_cast<double>(hits_[j]);
    const auto fp = static_cast<double>(predicted_[j] - hits_[j]);
    const auto fn = static_cast<double>(positives_[j] - hits_[j]);
    result.macro += f1(tp, fp, fn) / static_cast<double>(hits_.size());
    all_tp += tp;
    all_fp += fp;
    all_fn += fn;
  }
  result.micro = f1(all_tp, all_fp, all_fn);
  return result;
}

std::vector<float> tune_thresholds(View<const float> scores, View<const int8_t> truth,
                                   int threads) {
  check_metric_inputs(scores, truth);
  std::vector<float> thresholds(scores.cols);
  for_each_class(scores, truth, threads, [&](size_t j, const ClassScores& column) {
    thresholds[j] = best_threshold(column);
  });
  return thresholds;
}

}  // namespace spml
