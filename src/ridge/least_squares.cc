#include "ridge/least_squares.h"

#include <algorithm>
#include <numeric>

#include "base/aligned.h"
#include "base/fail.h"
#include "base/parallel.h"
#include "ridge/product.h"

namespace spml {
namespace {

constexpr size_t kBlockRows = 512;
// A row that decides its own score entirely says nothing when it is left out.
constexpr float kMostLeverage = 0.99f;

}  // namespace

LeastSquares::LeastSquares(const FeatureMatrix& features, FeatureTransform transform,
                           std::vector<int32_t> rows, int threads)
    : features_(features),
      transform_(std::move(transform)),
      rows_(std::move(rows)),
      threads_(threads),
      columns_(features.cols()),
      mean_(columns_) {
  if (rows_.size() < 2) fail("least squares: expected at least 2 rows, found {}", rows_.size());
  if (columns_ > kMostFeatures) {
    fail("least squares: expected at most {} features, found {}", kMostFeatures, columns_);
  }
  std::vector<double> sums(columns_);
  for_blocks([&](size_t, size_t count, const float* x) {
    for (size_t i = 0; i < count; ++i) {
      for (size_t c = 0; c < columns_; ++c) sums[c] += x[i * columns_ + c];
    }
  });
  for (size_t c = 0; c < columns_; ++c) {
    mean_[c] = static_cast<float>(sums[c] / static_cast<double>(rows_.size()));
  }
  moments_.resize(columns_ * columns_);
  for_blocks([&](size_t, size_t count, const float* x) {
    add_product({x, 1, columns_}, {x, columns_, 1}, columns_, columns_, count, 1, moments_.data(),
                columns_, threads_);
  });
}

void LeastSquares::read_rows(size_t first, size_t count, float* out) const {
  parallel_for((count + 63) / 64, threads_, [&](size_t part) {
    AlignedVector<float> packed(padded_features(columns_));
    for (size_t i = part * 64; i < std::min(count, part * 64 + 64); ++i) {
      const int32_t row = rows_[first + i];
      pack_rows(features_, std::span(&row, 1), transform_, 0, 1, packed.data());
      for (size_t c = 0; c < columns_; ++c) out[i * columns_ + c] = packed[c] - mean_[c];
    }
  });
}

template <class Body>
void LeastSquares::for_blocks(const Body& body) const {
  std::vector<float> block(std::min(kBlockRows, rows_.size()) * columns_);
  for (size_t first = 0; first < rows_.size(); first += kBlockRows) {
    const size_t count = std::min(kBlockRows, rows_.size() - first);
    read_rows(first, count, block.data());
    body(first, count, static_cast<const float*>(block.data()));
  }
}

void LeastSquares::set_strength(double lambda) {
  double trace = 0;
  for (size_t c = 0; c < columns_; ++c) trace += moments_[c * columns_ + c];
  const double mean = trace / static_cast<double>(columns_);
  inverse_ = moments_;
  for (size_t c = 0; c < columns_; ++c) {
    inverse_[c * columns_ + c] += static_cast<float>(lambda * mean + 1e-12);
  }
  invert(inverse_.data(), columns_, threads_);
  leverage_.assign(rows_.size(), 1 / static_cast<float>(rows_.size()));
  std::vector<float> product;
  for_blocks([&](size_t first, size_t count, const float* x) {
    product.assign(count * columns_, 0.0f);
    add_product({x, columns_, 1}, {inverse_.data(), columns_, 1}, count, columns_, columns_, 1,
                product.data(), columns_, threads_);
    for (size_t i = 0; i < count; ++i) {
      const float* a = x + i * columns_;
      leverage_[first + i] += std::inner_product(a, a + columns_, &product[i * columns_], 0.0f);
    }
  });
  for (float& h : leverage_) h = std::clamp(h, 0.0f, kMostLeverage);
}

LinearFit LeastSquares::fit(View<const float> targets, View<float> left_out) const {
  if (inverse_.empty()) fail("least squares: expected set_strength() before fit()");
  const size_t labels = targets.cols;
  if (targets.rows != rows_.size() || left_out.rows != targets.rows || left_out.cols != labels) {
    fail("least squares: expected targets and scores of {} rows, found {} and {}", rows_.size(),
         targets.rows, left_out.rows);
  }
  std::vector<double> sums(labels);
  for (size_t i = 0; i < targets.rows; ++i) {
    for (size_t j = 0; j < labels; ++j) sums[j] += targets(i, j);
  }
  LinearFit fit;
  for (const double sum : sums) {
    fit.bias.push_back(static_cast<float>(sum / static_cast<double>(targets.rows)));
  }
  const std::vector<float> mean_target = fit.bias;
  // Xc^T t: the mean of t drops out, because Xc sums to 0.
  std::vector<float> right(columns_ * labels), weight(columns_ * labels);
  for_blocks([&](size_t first, size_t count, const float* x) {
    add_product({x, 1, columns_}, {targets.row(first), labels, 1}, columns_, labels, count, 1,
                right.data(), labels, threads_);
  });
  add_product({inverse_.data(), columns_, 1}, {right.data(), labels, 1}, columns_, labels, columns_,
              1, weight.data(), labels, threads_);
  for_blocks([&](size_t first, size_t count, const float* x) {
    for (size_t i = first; i < first + count; ++i) {
      std::copy(mean_target.begin(), mean_target.end(), left_out.row(i));
    }
    add_product({x, columns_, 1}, {weight.data(), labels, 1}, count, labels, columns_, 1,
                left_out.row(first), labels, threads_);
  });
  for (size_t i = 0; i < targets.rows; ++i) {
    for (size_t j = 0; j < labels; ++j) {
      const float t = targets(i, j);
      left_out(i, j) = t - (t - left_out(i, j)) / (1 - leverage_[i]);
    }
  }
  fit.weight.resize(labels * columns_);
  for (size_t c = 0; c < columns_; ++c) {
    for (size_t j = 0; j < labels; ++j) {
      fit.weight[j * columns_ + c] = weight[c * labels + j];
      fit.bias[j] -= mean_[c] * weight[c * labels + j];
    }
  }
  return fit;
}

}  // namespace spml
