// Linear classifiers by regularised least squares, in closed form, with what they say of a row when
// that row is left out:
//
//   minimise over (w, b)  sum_i (w x_i + b - t_i)^2 + lambda s |w|^2,   s the mean variance sum
//   w = A Xc^T (t - mean t),   A = (Xc^T Xc + lambda s I)^-1,   Xc = X - mean
//   score of row i without it:  t_i - (t_i - p_i) / (1 - 1/n - h_i),   h_i = xc_i A xc_i
//
// A and h depend on the features alone: fits to other targets cost next to nothing.
#pragma once

#include <span>
#include <vector>

#include "linear/features.h"

namespace spml {

// z = weight x + bias
struct LinearFit {
  std::vector<float> weight, bias;  // (L, D), (L)
};

class LeastSquares {
 public:
  // More features than this make matrices that are not worth their memory.
  static constexpr size_t kMostFeatures = 8192;

  // The features must outlive this object; `rows` are those fitted to.
  LeastSquares(const FeatureMatrix& features, FeatureTransform transform, std::vector<int32_t> rows,
               int threads);

  size_t rows() const { return rows_.size(); }
  const FeatureTransform& transform() const { return transform_; }

  // Before the first fit.
  void set_strength(double lambda);

  // Targets (n, L). Scores of every row by a fit without it are written to `left_out` (n, L).
  LinearFit fit(View<const float> targets, View<float> left_out) const;

 private:
  // Transformed rows minus their mean, (count, D).
  void read_rows(size_t first, size_t count, float* out) const;
  template <class Body>
  void for_blocks(const Body& body) const;  // body(first, count, rows)

  const FeatureMatrix& features_;
  FeatureTransform transform_;
  std::vector<int32_t> rows_;
  int threads_;
  size_t columns_;               // D
  std::vector<float> mean_;      // (D)
  std::vector<float> moments_;   // Xc^T Xc (D, D)
  std::vector<float> inverse_;   // A (D, D)
  std::vector<float> leverage_;  // 1/n + h (n)
};

}  // namespace spml
