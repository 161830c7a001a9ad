#include "metrics/average_precision.h"

#include <limits>

#include "base/fail.h"
#include "metrics/class_scores.h"
#include "metrics/inputs.h"

namespace spml {
namespace {

// AP = sum over distinct thresholds t, descending, of (R(t) - R(t')) P(t), t' the one before.
// Recall moves only at scores that a positive has, so only those are visited.
double average_precision(const ClassScores& scores) {
  const auto positives = scores.positives();
  const auto negatives = scores.negatives();
  size_t above = positives.size();           // positives[above..] and
  size_t above_negative = negatives.size();  // negatives[above_negative..] score >= t
  double sum = 0;
  while (above > 0) {
    const uint32_t t = positives[above - 1];
    size_t gained = 0;
    for (; above > 0 && positives[above - 1] == t; --above) ++gained;
    while (above_negative > 0 && negatives[above_negative - 1] >= t) --above_negative;
    const auto tp = static_cast<double>(positives.size() - above);
    const auto fp = static_cast<double>(negatives.size() - above_negative);
    sum += static_cast<double>(gained) * tp / (tp + fp);
  }
  return positives.empty() ? 0 : sum / static_cast<double>(positives.size());
}

}  // namespace

double average_precision(std::span<const float> scores, std::span<const int8_t> truth) {
  if (scores.size() != truth.size()) {
    fail("metrics: expected as many scores as labels, found {} and {}", scores.size(),
         truth.size());
  }
  const View<const float> score_column{scores.data(), scores.size(), 1};
  const View<const int8_t> truth_column{truth.data(), truth.size(), 1};
  check_metric_inputs(score_column, truth_column);
  ClassScores column(scores.size());
  column.load(score_column, truth_column, 0);
  return average_precision(column);
}

MapResult mean_average_precision(View<const float> scores, View<const int8_t> truth, int threads) {
  check_metric_inputs(scores, truth);
  const size_t L = scores.cols;
  MapResult result;
  result.per_class_ap.resize(L);
  result.has_positive.resize(L);
  for_each_class(scores, truth, threads, [&](size_t j, const ClassScores& column) {
    result.per_class_ap[j] = average_precision(column);
    result.has_positive[j] = !column.positives().empty();
  });
  summarise(result);
  return result;
}

void append(MapResult& result, const MapResult& more) {
  result.per_class_ap.insert(result.per_class_ap.end(), more.per_class_ap.begin(),
                             more.per_class_ap.end());
  result.has_positive.insert(result.has_positive.end(), more.has_positive.begin(),
                             more.has_positive.end());
}

void summarise(MapResult& result) {
  const size_t L = result.per_class_ap.size();
  double sum = 0;
  size_t nonempty = 0;
  for (size_t j = 0; j < L; ++j) {
    sum += result.per_class_ap[j];
    nonempty += result.has_positive[j];
  }
  if (L > 0) result.map = 100 * sum / static_cast<double>(L);
  result.map_nonempty = nonempty > 0 ? 100 * sum / static_cast<double>(nonempty)
                                     : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace spml
