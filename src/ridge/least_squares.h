// Linear classifiers by regularised least squares, in closed form, with the score of every row by a
// fit without that row:
//
//   minimise over (w, b)  sum_i (w x_i + b - t_i)^2 + lambda s |w|^2,   s the mean variance sum
//   w = A Xc^T (t - mean t),   A = (Xc^T Xc + lambda s I)^-1,   Xc = X - mean
//   score of row i without it:  t_i - (t_i - p_i) / (1 - 1/n - h_i),   h_i = xc_i A xc_i
//
// With fewer rows than features the same solution has a smaller matrix, one of the rows:
//
//   a = B (t - mean t),   B = (Xc Xc^T + lambda s I)^-1,   w = Xc^T a
//   t_i - p_i = lambda s a_i,   h_i = 1 - lambda s B_ii
//
// A, B and h depend on the features and lambda alone: fits to other targets cost next to nothing.
// Neither inverse is computed: a Cholesky factor is enough (docs/evidence/ridge.md has the times,
// also of eigenvectors, which would serve every lambda).
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "linear/features.h"
#include "linear/linear_fit.h"
#include "ridge/cholesky.h"

namespace spml {

class LeastSquares {
 public:
  // The matrix to factor has this many rows and columns; beyond kMostOrder it would take too much
  // memory.
  static constexpr size_t order(size_t rows, size_t features) { return std::min(rows, features); }
  static constexpr size_t kMostOrder = 16384;
  static constexpr bool can_fit(size_t rows, size_t features) {
    return order(rows, features) <= kMostOrder;
  }

  // The features must outlive this object; `rows` are those fitted to. `between_parts` is called
  // now and then, by whatever takes long, and may throw to stop it.
  LeastSquares(const FeatureMatrix& features, FeatureTransform transform, std::vector<int32_t> rows,
               int threads, std::function<void()> between_parts = {});

  size_t rows() const { return rows_.size(); }
  const FeatureTransform& transform() const { return transform_; }

  // What all fits with one penalty share.
  struct Penalised {
    double penalty = 0;       // lambda s
    Cholesky factor;          // of A^-1 or B^-1
    std::vector<float> left;  // 1 - 1/n - h (n)
  };
  Penalised with_strength(double lambda) const;

  // Targets (n, L). Scores of every row by a fit without it are written to `left_out` (n, L).
  LinearFit fit(const Penalised& with, View<const float> targets, View<float> left_out) const;

 private:
  bool by_rows() const { return rows_.size() < columns_; }
  // Transformed rows minus their mean, (count, D).
  void read_rows(size_t first, size_t count, float* out) const;
  // body(first, count, rows) for blocks of the first `end` rows.
  template <class Body>
  void for_blocks(size_t end, const Body& body) const;
  template <class Body>
  void for_blocks(const Body& body) const {
    for_blocks(rows_.size(), body);
  }
  void find_moments();
  void find_left(Penalised& with) const;
  // The weights (L, D), and the residuals t - p of targets whose mean is given.
  std::vector<float> fit_columns(const Cholesky& factor, View<const float> targets,
                                 std::span<const float> mean, View<float> residuals) const;
  std::vector<float> fit_rows(const Penalised& with, View<const float> targets,
                              std::span<const float> mean, View<float> residuals) const;

  const FeatureMatrix& features_;
  FeatureTransform transform_;
  std::vector<int32_t> rows_;
  int threads_;
  std::function<void()> between_parts_;
  size_t columns_;              // D
  size_t order_;                // D, or n where that is less
  std::vector<float> mean_;     // (D)
  std::vector<float> moments_;  // Xc^T Xc (D, D) or Xc Xc^T (n, n): the lower triangle
};

}  // namespace spml
