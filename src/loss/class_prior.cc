#include "loss/class_prior.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace spml {

double estimate_class_prior(std::span<const float> scores, std::span<const int8_t> observed,
                            double slack, double delta) {
  const double n = static_cast<double>(scores.size());
  const auto positives = static_cast<double>(
      std::count_if(observed.begin(), observed.end(), [](int8_t o) { return o > 0; }));
  if (positives == 0) return 0;

  std::vector<uint32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return scores[a] > scores[b]; });

  const double log_term = std::log(4 / delta) / 2;
  const double uncertainty =
      (1 + slack) * (std::sqrt(log_term / n) + std::sqrt(log_term / positives));
  double prior = 1, least = std::numeric_limits<double>::infinity(), found = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    found += observed[order[i]] > 0;
    const bool tied = i + 1 < order.size() && scores[order[i + 1]] == scores[order[i]];
    if (tied || found == 0) continue;
    const double share = static_cast<double>(i + 1) / n, share_positive = found / positives;
    const double bound = (share + uncertainty) / share_positive;
    if (bound < least) {
      least = bound;
      prior = share / share_positive;
    }
  }
  return std::clamp(prior, positives / n, 1.0);
}

}  // namespace spml
