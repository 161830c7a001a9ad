// What the solvers of this folder need of features: two products. Whatever has them, dense or
// sparse, in memory or mapped, can be solved for.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "linear/features.h"

namespace spml {

class FeatureProducts {
 public:
  virtual ~FeatureProducts() = default;

  virtual size_t rows() const = 0;     // n
  virtual size_t columns() const = 0;  // D
  // scores (count, n) = weights (count, D) X^T
  virtual void scores(const float* weights, size_t count, float* scores) const = 0;
  // sums (count, D) = factors (count, n) X
  virtual void weighted_sums(const float* factors, size_t count, float* sums) const = 0;
};

// Rows of a matrix, transformed, in memory. The same bytes for any number of threads.
class DenseProducts final : public FeatureProducts {
 public:
  DenseProducts(const FeatureMatrix& features, const FeatureTransform& transform,
                std::span<const int32_t> rows, int threads);

  size_t rows() const override { return rows_; }
  size_t columns() const override { return columns_; }
  void scores(const float* weights, size_t count, float* scores) const override;
  void weighted_sums(const float* factors, size_t count, float* sums) const override;

 private:
  size_t rows_, columns_;
  int threads_;
  std::vector<float> values_;  // (n, D)
};

}  // namespace spml
