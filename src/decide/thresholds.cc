#include "decide/thresholds.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/parallel.h"

namespace spml {

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
  const auto logit = [](float p) { return std::log(p) - std::log1p(-p); };
  const float common = logit(expected_f1_threshold(probabilities.flat()));
  std::vector<float> thresholds(probabilities.cols);
  parallel_for(probabilities.cols, threads, [&](size_t j) {
    std::vector<float> column(probabilities.rows);
    for (size_t i = 0; i < column.size(); ++i) column[i] = probabilities(i, j);
    const float own = logit(expected_f1_threshold(column));
    thresholds[j] = 1 / (1 + std::exp(-(own + common) / 2));
  });
  return thresholds;
}

}  // namespace spml
