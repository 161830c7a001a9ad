// A linear classifier for data of which some labels are known and most are not: least squares
// (least_squares.h) in two rounds. In the first, unknown labels count as absent. In the second the
// target of an unknown label is what the first, fitted without its row, says of it, held to [0, 1]
// and lowered, for the fit that is kept, where more labels would then be missing than rows have or
// than answers have found.
// Known negatives are targets of 0 in both: they are what the second round can no longer move.
#pragma once

#include "ridge/least_squares.h"
#include "spml/matrix.h"

namespace spml {

// Scores lie around 0 and 1; as logits they are kScoreToLogit (score - 1/2).
inline constexpr float kScoreToLogit = 10;

// What fitting to so many rows takes, in bytes, beside the features.
uint64_t bytes_to_fit(size_t rows, size_t labels, size_t features);

class KnownLabelClassifier {
 public:
  // The features must outlive this object; `known` (n, L) are the labels of `rows`, k the labels of
  // a row. The strength of the regularisation is as given or, where that is 0, the weakest of a few
  // by which rows left out are ranked as well as by the best of them, judged by the observed
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
  double strength_ = 1;
  double k_;
};

}  // namespace spml
