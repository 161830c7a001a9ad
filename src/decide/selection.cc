#include "decide/selection.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "base/parallel.h"

namespace spml {
namespace {

// Nothing for a label that was not observed.
std::optional<double> score_label(View<const float> scores, View<const int8_t> labels, size_t label,
                                  double prior) {
  std::vector<float> column, found;
  for (size_t i = 0; i < scores.rows; ++i) {
    if (std::isnan(scores(i, label))) return std::nullopt;
    column.push_back(scores(i, label));
    if (labels(i, label) > 0) found.push_back(scores(i, label));
  }
  if (found.empty()) return std::nullopt;
  std::sort(column.begin(), column.end(), std::greater<>());
  const double expected = std::max(prior * static_cast<double>(scores.rows), 1.0);
  double sum = 0;
  for (const float score : found) {
    // Rows that score as much share their places.
    const auto [first, last] =
        std::equal_range(column.begin(), column.end(), score, std::greater<>());
    const auto places = static_cast<double>((first - column.begin()) + (last - column.begin()));
    sum += 1 / (1 + (places + 1) / 2 / expected);
  }
  return sum / static_cast<double>(found.size());
}

}  // namespace

double observed_criterion(View<const float> scores, View<const int8_t> labels,
                          std::span<const double> frequency, double k, int threads) {
  std::vector<std::optional<double>> parts(scores.cols);
  parallel_for(scores.cols, threads, [&](size_t j) {
    parts[j] = score_label(scores, labels, j, std::min(1.0, k * frequency[j]));
  });
  double sum = 0, observed = 0;
  for (const auto& part : parts) {
    if (!part) continue;
    sum += *part;
    ++observed;
  }
  return observed > 0 ? sum / observed : 0;
}

std::vector<double> observed_frequency(View<const int8_t> labels) {
  std::vector<double> share(labels.cols);
  for (size_t i = 0; i < labels.rows; ++i) {
    for (size_t j = 0; j < labels.cols; ++j) share[j] += labels(i, j) > 0;
  }
  for (double& s : share) s = (s + 0.5) / (static_cast<double>(labels.rows) + 1);
  return share;
}

}  // namespace spml
