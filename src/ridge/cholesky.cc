#include "ridge/cholesky.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/fail.h"
#include "ridge/product.h"

namespace spml {
namespace {

// A small matrix's lower triangle becomes that of its factor.
void factor_block(std::vector<double>& a, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    double* row = &a[i * n];
    for (size_t j = 0; j <= i; ++j) {
      const double* other = &a[j * n];
      const double left = row[j] - std::inner_product(row, row + j, other, 0.0);
      if (j < i) {
        row[j] = left / other[j];
      } else if (!(left > 0) || !std::isfinite(left)) {
        fail("least squares: the features are too close to dependent to be solved for");
      } else {
        row[j] = std::sqrt(left);
      }
    }
  }
}

// The inverse of a small lower triangle.
std::vector<double> invert_triangle(const std::vector<double>& l, size_t n) {
  std::vector<double> inverse(n * n);
  for (size_t i = 0; i < n; ++i) {
    double* row = &inverse[i * n];
    for (size_t k = 0; k < i; ++k) {
      const double factor = l[i * n + k];
      for (size_t j = 0; j <= k; ++j) row[j] -= factor * inverse[k * n + j];
    }
    row[i] = 1;
    for (size_t j = 0; j <= i; ++j) row[j] /= l[i * n + i];
  }
  return inverse;
}

}  // namespace

// Block columns from left to right: each loses what those before it explain.
Cholesky::Cholesky(std::vector<float> a, size_t order, int threads)
    : order_(order), factor_(std::move(a)), inverses_(order * kBlock) {
  const size_t n = order_;
  for (size_t first = 0; first < n; first += kBlock) {
    const size_t size = std::min(kBlock, n - first), below = first + size;
    float* column = &factor_[first * n + first];
    const float* before = &factor_[first * n];
    add_product({before, n, 1}, {before, 1, n}, n - first, size, first, -1, column, n, threads);
    std::vector<double> small(size * size);
    for (size_t i = 0; i < size; ++i) std::copy_n(column + i * n, i + 1, &small[i * size]);
    factor_block(small, size);
    for (size_t i = 0; i < size; ++i) std::copy_n(&small[i * size], i + 1, column + i * n);
    const std::vector<double> inverse = invert_triangle(small, size);
    for (size_t i = 0; i < size; ++i) {
      std::copy_n(&inverse[i * size], size, &inverses_[(first + i) * kBlock]);
    }
    if (below < n) multiply_by_block(&factor_[below * n], n - below, first, true, threads);
  }
}

void Cholesky::multiply_by_block(float* rows, size_t count, size_t first, bool transposed,
                                 int threads) const {
  const size_t size = std::min(kBlock, order_ - first);
  std::vector<float> product(count * size);
  const Strided inverse =
      transposed ? Strided{block(first), 1, kBlock} : Strided{block(first), kBlock, 1};
  add_product({rows + first, order_, 1}, inverse, count, size, size, 1, product.data(), size,
              threads);
  for (size_t i = 0; i < count; ++i) {
    std::copy_n(&product[i * size], size, rows + i * order_ + first);
  }
}

void Cholesky::solve_lower(float* rows, size_t count, size_t zeros, int threads) const {
  const size_t n = order_, start = zeros / kBlock * kBlock;
  for (size_t first = start; first < n; first += kBlock) {
    const size_t size = std::min(kBlock, n - first);
    add_product({rows + start, n, 1}, {&factor_[first * n + start], 1, n}, count, size,
                first - start, -1, rows + first, n, threads);
    multiply_by_block(rows, count, first, true, threads);
  }
}

void Cholesky::solve(float* rows, size_t count, int threads) const {
  solve_lower(rows, count, 0, threads);
  const size_t n = order_;
  for (size_t end = n; end > 0;) {
    const size_t first = (end - 1) / kBlock * kBlock;
    if (end < n) {
      add_product({rows + end, n, 1}, {&factor_[end * n + first], n, 1}, count, end - first,
                  n - end, -1, rows + first, n, threads);
    }
    multiply_by_block(rows, count, first, false, threads);
    end = first;
  }
}

std::vector<float> Cholesky::inverse_diagonal(int threads) const {
  const size_t n = order_;
  std::vector<float> diagonal(n), rows;
  for (size_t first = 0; first < n; first += kBlock) {
    const size_t count = std::min(kBlock, n - first);
    rows.assign(count * n, 0.0f);
    for (size_t i = 0; i < count; ++i) rows[i * n + first + i] = 1;
    solve_lower(rows.data(), count, first, threads);
    for (size_t i = 0; i < count; ++i) {
      const float* y = &rows[i * n];
      diagonal[first + i] =
          static_cast<float>(std::inner_product(y + first, y + n, y + first, 0.0));
    }
  }
  return diagonal;
}

}  // namespace spml
