// A linear classifier for data with some known labels and many unknown ones: least squares
// (least_squares.h) in two rounds. In the first, unknown labels count as absent. In the second, the
// target of an unknown label is its score by the first round fitted without its row, clamped to
// [0, 1]. For the fit that is kept these targets are scaled down if they imply more missing labels
// than k allows or than answers have confirmed. Known negatives have the target 0 in both rounds.
#pragma once

#include "ridge/least_squares.h"
#include "spml/matrix.h"

namespace spml {

// Scores lie around 0 and 1; as logits they are kScoreToLogit (score - 1/2).
inline constexpr float kScoreToLogit = 10;

// The bytes that fitting takes, beside the features.
uint64_t bytes_to_fit(size_t rows, size_t labels, size_t features);

class KnownLabelClassifier {
 public:
  // The features must outlive this object; `known` (n, L) are the labels of `rows`, k is the number
  // of labels per row. If the strength of the regularisation is 0, it is chosen: from the weakest
  // on, as long as a stronger one ranks left-out rows clearly better, judged by the observed
  // positives. `between_parts` as in LeastSquares.
  KnownLabelClassifier(const FeatureMatrix& features, const FeatureTransform& transform,
                       std::vector<int32_t> rows, View<const int8_t> known, double k, int threads,
                       double strength = 0, std::function<void()> between_parts = {});

  double strength() const { return strength_; }
  const FeatureTransform& transform() const { return squares_.transform(); }

  struct Result {
    LinearFit fit;
    Matrix<float> left_out;  // (n, L) scores of rows by a fit without them
  };
  Result fit(View<const int8_t> known) const;

 private:
  LeastSquares squares_;
  LeastSquares::Penalised solver_;
  double strength_ = 1;
  double k_;
};

}  // namespace spml
