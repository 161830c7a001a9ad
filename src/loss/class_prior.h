// How many rows have a label, when only some of those that have it say so: the mixture proportion
// of positives among all rows, from scores that rank them.
#pragma once

#include <cstdint>
#include <span>

namespace spml {

// The share of rows that are positive, in [share observed, 1]; 0 when no positive is observed.
//
// With q(t) the share of all rows scored t or higher and q+(t) that of the observed positives,
// q(t) >= prior * q+(t), because observed positives are positives drawn at random; where the
// highest scores are all positives the two are equal. So the prior is q/q+ at the threshold where
//   q/q+ + (1 + slack)/q+ (sqrt(log(4/delta)/(2 n)) + sqrt(log(4/delta)/(2 n+)))
// is least: a low ratio, at a threshold where it is still known well (Garg et al., Mixture
// Proportion Estimation and PU Learning, NeurIPS 2021).
double estimate_class_prior(std::span<const float> scores, std::span<const int8_t> observed,
                            double slack = 0.01, double delta = 0.01);

}  // namespace spml
