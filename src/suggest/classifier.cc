#include "suggest/classifier.h"

#include <algorithm>
#include <array>

#include "decide/selection.h"
#include "suggest/missing.h"

namespace spml {
namespace {

// In units of the mean variance of the features. Weakest first.
constexpr std::array<double, 3> kStrengths = {0.3, 1, 3};
// Observed positives alone ask for more than labels do once more of them are known: a stronger one
// has to be better by this factor.
constexpr double kClearlyBetter = 1.005;

Matrix<float> first_targets(View<const int8_t> known) {
  Matrix<float> targets(known.rows, known.cols);
  for (size_t i = 0; i < known.size(); ++i) targets.data()[i] = known.data[i] > 0;
  return targets;
}

}  // namespace

KnownLabelClassifier::KnownLabelClassifier(const FeatureMatrix& features, TransformKind transform,
                                           std::vector<int32_t> rows, View<const int8_t> known,
                                           double k, int threads)
    : squares_(features, fit_transform(transform, features, rows), rows, threads) {
  const Matrix<float> targets = first_targets(known);
  const std::vector<double> frequency = observed_frequency(known);
  Matrix<float> left_out(known.rows, known.cols);
  double best = -1, set = 0;
  for (const double strength : kStrengths) {
    squares_.set_strength(set = strength);
    squares_.fit(targets, left_out.view());
    const double score = observed_criterion(left_out, known, frequency, k, threads);
    if (best >= 0 && score <= best * kClearlyBetter) break;
    best = score;
    strength_ = strength;
  }
  if (set != strength_) squares_.set_strength(strength_);
}

KnownLabelClassifier::Result KnownLabelClassifier::fit(View<const int8_t> known) const {
  Matrix<float> targets = first_targets(known);
  Result result;
  result.left_out = Matrix<float>(known.rows, known.cols);
  squares_.fit(targets, result.left_out.view());
  for (size_t i = 0; i < known.size(); ++i) {
    if (known.data[i] == 0) targets.data()[i] = std::clamp(result.left_out.data()[i], 0.0f, 1.0f);
  }
  result.fit = squares_.fit(targets, result.left_out.view());
  return result;
}

}  // namespace spml
