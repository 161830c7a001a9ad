// What the answers so far imply about the entries nobody has looked at. All bounds are exact: they
// hold with at least the given confidence, whatever the sample size.
#pragma once

#include <cstdint>

namespace spml::review {

inline constexpr double kConfidence = 0.95;

struct Interval {
  double low = 0, high = 1;
};

// Interval for a proportion, given `successes` in `trials` independent draws (Clopper and Pearson
// 1934): the shares p for which neither P(X >= successes | p) nor P(X <= successes | p) is below (1
// - confidence) / 2.
Interval clopper_pearson(uint64_t successes, uint64_t trials, double confidence = kConfidence);

// P(X <= found) when `sample` of `population` items are drawn without replacement and `positives`
// of the population are positive.
double hypergeometric_cdf(uint64_t found, uint64_t population, uint64_t positives, uint64_t sample);

// The largest number of positives in the population that a sample with `found` positives does not
// rule out: max M with P(X <= found | M) >= 1 - confidence.
uint64_t most_positives(uint64_t found, uint64_t population, uint64_t sample,
                        double confidence = kConfidence);

// When to stop. A random sample of `sample` out of `population` open entries was answered and
// `positives` of them were, or may have been, positive; `found_since` labels of that population
// were found by now (those of the sample among them), `found` in the whole review.
struct SampleOutcome {
  uint64_t population = 0, sample = 0, positives = 0;
  uint64_t found_since = 0, found = 0;
};
struct StoppingBound {
  uint64_t missing_at_most = 0;  // labels that are still missing
  double share_found_at_least = 0;
};
StoppingBound stopping_bound(const SampleOutcome& outcome, double confidence = kConfidence);

}  // namespace spml::review
