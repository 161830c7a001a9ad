// From a classifier's logits to probabilities that mean what they say: one rising curve per label.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spml/view.h"

namespace spml {

// p_j = sigmoid(slope_j * z_j + offset_j), slope_j > 0.
struct Calibration {
  std::vector<double> slope, offset;  // (L)

  size_t labels() const { return slope.size(); }
  float probability(size_t label, float logit) const;
  // Logits of labels first_label, first_label + 1, ... become probabilities in place.
  void apply(size_t first_label, View<float> logits) const;
};

// Moves a label's curve to the nearest one (in cross-entropy) to the targets in [0, 1]; the slope
// stays positive.
void fit_curve(std::span<const double> logits, std::span<const double> targets, double& slope,
               double& offset);

// How far probabilities are from what happens, over all entries in equal bins of probability.
struct ReliabilityBin {
  double entries = 0;    // how many
  double predicted = 0;  // sum of their probabilities
  double positives = 0;  // how many are positive
};
class Reliability {
 public:
  static constexpr size_t kBins = 15;
  Reliability() : bins_(kBins) {}
  // Entries, predicted and positives of each bin.
  explicit Reliability(std::span<const double> sums);
  // labels > 0 are positive.
  void add(View<const float> probabilities, View<const int8_t> labels);
  const std::vector<ReliabilityBin>& bins() const { return bins_; }
  // The expected calibration error: mean over entries of |predicted - positives| of their bin.
  double error() const;

 private:
  std::vector<ReliabilityBin> bins_;
};

}  // namespace spml
