#include "review/bounds.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "base/fail.h"

namespace spml::review {
namespace {

double log_choose(uint64_t n, uint64_t k) {
  const auto gamma = [](uint64_t x) { return std::lgamma(static_cast<double>(x) + 1); };
  return gamma(n) - gamma(k) - gamma(n - k);
}

}  // namespace

Interval clopper_pearson(uint64_t successes, uint64_t trials, double confidence) {
  if (successes > trials) fail("expected at most {} successes, found {}", trials, successes);
  if (trials == 0) return {};
  using Binomial = boost::math::binomial_distribution<double>;
  const double tail = (1 - confidence) / 2;
  const auto n = static_cast<double>(trials), k = static_cast<double>(successes);
  return {Binomial::find_lower_bound_on_p(n, k, tail), Binomial::find_upper_bound_on_p(n, k, tail)};
}

// The terms p(i) = C(M, i) C(N - M, n - i) / C(N, n), i <= found, are summed downwards from the
// largest: p(i - 1) = p(i) * i (N - M - n + i) / ((M - i + 1) (n - i + 1)).
double hypergeometric_cdf(uint64_t found, uint64_t population, uint64_t positives,
                          uint64_t sample) {
  const uint64_t N = population, M = positives, n = sample;
  if (M > N || n > N) fail("expected at most {} positives and draws, found {}, {}", N, M, n);
  const uint64_t least = n > N - M ? n - (N - M) : 0;  // that must be positive
  const uint64_t most = std::min(M, n);
  if (found < least) return 0;
  if (found >= most) return 1;
  double term = 1, sum = 1;
  for (uint64_t i = found; i > least && term > 1e-18 * sum; --i) {
    term *= static_cast<double>(i) / static_cast<double>(M - i + 1);
    term *= static_cast<double>(N - M - n + i) / static_cast<double>(n - i + 1);
    sum += term;
  }
  const double log_first = log_choose(M, found) + log_choose(N - M, n - found) - log_choose(N, n);
  return std::min(1.0, std::exp(log_first + std::log(sum)));
}

uint64_t most_positives(uint64_t found, uint64_t population, uint64_t sample, double confidence) {
  if (sample > population || found > sample) {
    fail("expected found <= sample <= population, found {}, {}, {}", found, sample, population);
  }
  // P(X <= found | M) falls with M: `low` is not ruled out, `high` is or is one too many.
  uint64_t low = found, high = population - (sample - found) + 1;
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    const bool possible = hypergeometric_cdf(found, population, middle, sample) >= 1 - confidence;
    (possible ? low : high) = middle;
  }
  return low;
}

StoppingBound stopping_bound(const SampleOutcome& outcome, double confidence) {
  const uint64_t most =
      most_positives(outcome.positives, outcome.population, outcome.sample, confidence);
  StoppingBound bound;
  bound.missing_at_most = most > outcome.found_since ? most - outcome.found_since : 0;
  const uint64_t total = outcome.found + bound.missing_at_most;
  bound.share_found_at_least =
      total == 0 ? 1 : static_cast<double>(outcome.found) / static_cast<double>(total);
  return bound;
}

}  // namespace spml::review
