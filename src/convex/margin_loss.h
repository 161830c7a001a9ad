// Losses of a score z for a target q in [0, 1], convex in z and with a slope everywhere:
//
//   logistic        log(1 + e^z) - q z
//   squared hinge   q max(0, 1 - z)^2 + (1 - q) max(0, 1 + z)^2
#pragma once

namespace spml {

enum class MarginLoss { kLogistic, kSquaredHinge };

struct MarginTerms {
  double value = 0, slope = 0, curvature = 0;
};

MarginTerms margin_terms(MarginLoss loss, double z, double target);
double margin_value(MarginLoss loss, double z, double target);

}  // namespace spml
