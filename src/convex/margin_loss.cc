#include "convex/margin_loss.h"

#include <algorithm>
#include <cmath>

namespace spml {
namespace {

double softplus(double z) { return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))); }

}  // namespace

MarginTerms margin_terms(MarginLoss loss, double z, double target) {
  MarginTerms terms;
  if (loss == MarginLoss::kLogistic) {
    const double small = std::exp(-std::abs(z)), p = (z >= 0 ? 1 : small) / (1 + small);
    terms.value = std::max(z, 0.0) + std::log1p(small) - target * z;
    terms.slope = p - target;
    terms.curvature = small / ((1 + small) * (1 + small));
    return terms;
  }
  const double below = std::max(0.0, 1 - z), above = std::max(0.0, 1 + z);
  terms.value = target * below * below + (1 - target) * above * above;
  terms.slope = 2 * ((1 - target) * above - target * below);
  terms.curvature = 2 * ((below > 0 ? target : 0) + (above > 0 ? 1 - target : 0));
  return terms;
}

double margin_value(MarginLoss loss, double z, double target) {
  if (loss == MarginLoss::kLogistic) return softplus(z) - target * z;
  const double below = std::max(0.0, 1 - z), above = std::max(0.0, 1 + z);
  return target * below * below + (1 - target) * above * above;
}

}  // namespace spml
