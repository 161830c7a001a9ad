#include "suggest/named_label.h"

#include <algorithm>
#include <cmath>

#include "base/gauss_legendre.h"

namespace spml {
namespace {

constexpr size_t kNodes = 8;  // exact for products of up to 15 labels, close to it beyond
constexpr double kSmallest = 1e-12;

const Quadrature<kNodes>& quadrature() {
  static const Quadrature<kNodes> rule = gauss_legendre<kNodes>([](double) { return 1.0; });
  return rule;
}

}  // namespace

void NamedLabel::condition(std::span<const int8_t> known, std::span<float> probabilities) {
  const size_t labels = known.size();
  const size_t positives = static_cast<size_t>(std::ranges::count(known, int8_t{1}));
  if (positives == 0) return;  // nobody named a label of this row
  f_.assign(probabilities.begin(), probabilities.end());
  for (size_t j = 0; j < labels; ++j) {
    if (known[j] != 0) f_[j] = known[j] > 0;
  }
  const auto& [v, weight] = quadrature();
  // Which of several positives was named does not matter: they all count as 1.
  const auto others = static_cast<double>(positives - 1);
  product_.resize(kNodes);
  for (size_t q = 0; q < kNodes; ++q) {
    double product = std::pow(1 - v[q], others);
    for (size_t j = 0; j < labels; ++j) {
      if (known[j] == 0) product *= 1 - f_[j] * v[q];
    }
    product_[q] = product * weight[q];
  }
  for (size_t j = 0; j < labels; ++j) {
    // A known positive is treated as found, unless it is the only one: then it was the one named.
    if (known[j] > 0 && positives == 1) continue;
    double with = 0, without = 0;
    for (size_t q = 0; q < kNodes; ++q) {
      const double own = known[j] > 0 ? 1 - v[q] : (known[j] < 0 ? 1 : 1 - f_[j] * v[q]);
      const double rest = product_[q] / std::max(own, kSmallest);
      with += rest * (1 - v[q]);
      without += rest;
    }
    const double p = probabilities[j];
    probabilities[j] = static_cast<float>(p * with / (p * with + (1 - p) * without));
  }
}

}  // namespace spml
