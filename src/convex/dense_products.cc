#include <algorithm>

#include "base/aligned.h"
#include "base/parallel.h"
#include "convex/feature_products.h"
#include "ridge/product.h"

namespace spml {

DenseProducts::DenseProducts(const FeatureMatrix& features, const FeatureTransform& transform,
                             std::span<const int32_t> rows, int threads)
    : rows_(rows.size()), columns_(features.cols()), threads_(threads), values_(rows_ * columns_) {
  constexpr size_t kRowsAtOnce = 64;
  parallel_for((rows_ + kRowsAtOnce - 1) / kRowsAtOnce, threads, [&](size_t part) {
    AlignedVector<float> packed(padded_features(columns_));
    for (size_t i = part * kRowsAtOnce; i < std::min(rows_, (part + 1) * kRowsAtOnce); ++i) {
      pack_rows(features, rows.subspan(i, 1), transform, 0, 1, packed.data());
      std::copy_n(packed.data(), columns_, &values_[i * columns_]);
    }
  });
}

void DenseProducts::scores(const float* weights, size_t count, float* scores) const {
  std::fill_n(scores, count * rows_, 0.0f);
  add_product({weights, columns_, 1}, {values_.data(), 1, columns_}, count, rows_, columns_, 1,
              scores, rows_, threads_);
}

// Blocks of rows, added in their order: sums over many rows keep their precision.
void DenseProducts::weighted_sums(const float* factors, size_t count, float* sums) const {
  constexpr size_t kRowsAtOnce = 4096;
  std::fill_n(sums, count * columns_, 0.0f);
  for (size_t first = 0; first < rows_; first += kRowsAtOnce) {
    add_product({factors + first, rows_, 1}, {&values_[first * columns_], columns_, 1}, count,
                columns_, std::min(kRowsAtOnce, rows_ - first), 1, sums, columns_, threads_);
  }
}

}  // namespace spml
