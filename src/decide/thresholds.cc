#include "decide/thresholds.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "base/parallel.h"
#include "decide/sigmoid.h"

namespace spml {
namespace {

constexpr double kMostNamed = 1.5;  // of the labels that are expected

double logit(float p) {
  return std::log(static_cast<double>(p)) - std::log1p(-static_cast<double>(p));
}

// How far above its threshold each probability is that reaches it, in logits.
std::vector<double> distances(View<const float> probabilities, std::span<const double> thresholds) {
  std::vector<double> list;
  for (size_t i = 0; i < probabilities.rows; ++i) {
    for (size_t j = 0; j < probabilities.cols; ++j) {
      const double distance = logit(probabilities(i, j)) - thresholds[j];
      if (distance >= 0) list.push_back(distance);
    }
  }
  return list;
}

// By how much thresholds have to rise for no more labels to be named than that.
double needed_rise(std::vector<double> list, double expected) {
  const auto most = static_cast<size_t>(std::max(1.0, kMostNamed * expected));
  if (list.size() <= most) return 0;
  const auto first_left_out = list.begin() + static_cast<ptrdiff_t>(most);
  std::nth_element(list.begin(), first_left_out, list.end(), std::greater<>());
  const double left_out = *first_left_out, kept = *std::min_element(list.begin(), first_left_out);
  if (kept > left_out) return (kept + left_out) / 2;
  double above = std::numeric_limits<double>::infinity();  // of equals, all are left out
  for (const double distance : list) {
    if (distance > left_out) above = std::min(above, distance);
  }
  return std::isfinite(above) ? (above + left_out) / 2 : left_out;  // but not where all are equal
}

}  // namespace

// Saying yes to the m rows of highest probability gives an expected
//   F1 = 2 * (sum of those m) / (m + sum of all).
float expected_f1_threshold(std::span<const float> probabilities) {
  if (probabilities.empty()) return 0.5F;
  std::vector<float> p(probabilities.begin(), probabilities.end());
  std::sort(p.begin(), p.end(), std::greater<>());
  const double all = std::accumulate(p.begin(), p.end(), 0.0);
  double sum = 0, best = -1;
  size_t count = 1;
  for (size_t m = 1; m <= p.size(); ++m) {
    sum += static_cast<double>(p[m - 1]);
    const double f1 = 2 * sum / (static_cast<double>(m) + all);
    if (f1 <= best) continue;
    best = f1;
    count = m;
  }
  const float last = p[count - 1], next = count < p.size() ? p[count] : last / 2;
  const float middle = last + (next - last) / 2;
  return std::clamp(middle > next ? middle : last, 1e-6F, 1 - 1e-6F);
}

std::vector<float> decision_thresholds(View<const float> probabilities, int threads) {
  const double common = logit(expected_f1_threshold(probabilities.flat()));
  std::vector<double> thresholds(probabilities.cols);  // in logits
  parallel_for(probabilities.cols, threads, [&](size_t j) {
    std::vector<float> column(probabilities.rows);
    for (size_t i = 0; i < column.size(); ++i) column[i] = probabilities(i, j);
    thresholds[j] = (logit(expected_f1_threshold(column)) + common) / 2;
  });
  const auto all = probabilities.flat();
  const double expected = std::accumulate(all.begin(), all.end(), 0.0);
  const double rise = needed_rise(distances(probabilities, thresholds), expected);
  std::vector<float> result;
  for (const double threshold : thresholds) {
    result.push_back(static_cast<float>(sigmoid(threshold + rise)));
  }
  return result;
}

}  // namespace spml
