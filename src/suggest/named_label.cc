#include "suggest/named_label.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace spml {
namespace {

// Gauss and Legendre on [0, 1]: exact for products of up to 15 labels, close to it beyond.
constexpr std::array<double, 8> kNodes = {
    0.019855071751231884, 0.10166676129318663, 0.23723379504183550, 0.40828267875217510,
    0.59171732124782490,  0.76276620495816450, 0.89833323870681340, 0.98014492824876810};
constexpr std::array<double, 8> kWeights = {
    0.050614268145188130, 0.11119051722668724, 0.15685332293894363, 0.18134189168918100,
    0.18134189168918100,  0.15685332293894363, 0.11119051722668724, 0.050614268145188130};
constexpr double kSmallest = 1e-12;

}  // namespace

void NamedLabel::condition(std::span<const int8_t> known, std::span<float> probabilities) {
  const size_t labels = known.size();
  const size_t positives = static_cast<size_t>(std::ranges::count(known, int8_t{1}));
  if (positives == 0) return;  // nobody named a label of this row
  f_.assign(probabilities.begin(), probabilities.end());
  for (size_t j = 0; j < labels; ++j) {
    if (known[j] != 0) f_[j] = known[j] > 0;
  }
  // Which of several positives was named does not matter: they all count as 1.
  const auto others = static_cast<double>(positives - 1);
  product_.resize(kNodes.size());
  for (size_t q = 0; q < kNodes.size(); ++q) {
    double product = std::pow(1 - kNodes[q], others);
    for (size_t j = 0; j < labels; ++j) {
      if (known[j] == 0) product *= 1 - f_[j] * kNodes[q];
    }
    product_[q] = product * kWeights[q];
  }
  for (size_t j = 0; j < labels; ++j) {
    // A known positive is looked at as one that was found; where it is the only one, it was named.
    if (known[j] > 0 && positives == 1) continue;
    double with = 0, without = 0;
    for (size_t q = 0; q < kNodes.size(); ++q) {
      const double own = known[j] > 0 ? 1 - kNodes[q] : (known[j] < 0 ? 1 : 1 - f_[j] * kNodes[q]);
      const double rest = product_[q] / std::max(own, kSmallest);
      with += rest * (1 - kNodes[q]);
      without += rest;
    }
    const double p = probabilities[j];
    probabilities[j] = static_cast<float>(p * with / (p * with + (1 - p) * without));
  }
}

}  // namespace spml
