// The Cholesky factor of a symmetric positive definite matrix, A = L L^T, and what is solved with
// it. Blocks on the diagonal are worked on in double precision; the rest are products (product.h).
// The same bytes for any number of threads.
#pragma once

#include <cstddef>
#include <vector>

namespace spml {

class Cholesky {
 public:
  Cholesky() = default;
  // Of A (order, order), of which only the lower triangle is read. Error when it is not positive
  // definite.
  Cholesky(std::vector<float> a, size_t order, int threads);

  size_t order() const { return order_; }

  // Each of `count` rows x, (count, order), becomes y with L y = x, so that |y|^2 = x A^-1 x. The
  // first `zeros` values of every row are zero; y has as many.
  void solve_lower(float* rows, size_t count, size_t zeros, int threads) const;
  // Each row x becomes A^-1 x.
  void solve(float* rows, size_t count, int threads) const;
  // The diagonal of A^-1.
  std::vector<float> inverse_diagonal(int threads) const;

 private:
  const float* block(size_t first) const { return &inverses_[first * kBlock]; }
  // Each row's values [first, first + size) times the inverse of that block of L, or its transpose.
  void multiply_by_block(float* rows, size_t count, size_t first, bool transposed,
                         int threads) const;

  static constexpr size_t kBlock = 256;

  size_t order_ = 0;
  std::vector<float> factor_;    // L in the lower triangle of (order, order)
  std::vector<float> inverses_;  // of the blocks on L's diagonal, in rows of kBlock
};

}  // namespace spml
