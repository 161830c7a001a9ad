#include "ridge/least_squares.h"

#include <algorithm>
#include <numeric>

#include "base/aligned.h"
#include "base/fail.h"
#include "base/parallel.h"
#include "ridge/product.h"

namespace spml {
namespace {

// Rows are read in blocks of kBlockRows, or fewer where they are long.
constexpr size_t kBlockRows = 512, kBlockValues = size_t{1} << 23;
// The smallest 1 - 1/n - h that counts as more than 0: a row that decides its own score entirely
// says nothing when it is left out. By rows the number is not a difference of two near 1 and can be
// far smaller; with many more features than rows it is small for every row.
constexpr float kLeastLeft = 0.01f, kLeastLeftByRows = 1e-5f;

}  // namespace

LeastSquares::LeastSquares(const FeatureMatrix& features, FeatureTransform transform,
                           std::vector<int32_t> rows, int threads,
                           std::function<void()> between_parts)
    : features_(features),
      transform_(std::move(transform)),
      rows_(std::move(rows)),
      threads_(threads),
      between_parts_(std::move(between_parts)),
      columns_(features.cols()),
      order_(order(rows_.size(), columns_)),
      mean_(columns_) {
  if (rows_.size() < 2) fail("least squares: expected at least 2 rows, found {}", rows_.size());
  if (!can_fit(rows_.size(), columns_)) {
    fail("least squares: expected at most {} features or rows, found {} and {}", kMostOrder,
         columns_, rows_.size());
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
  find_moments();
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
void LeastSquares::for_blocks(size_t end, const Body& body) const {
  const size_t step = std::clamp<size_t>(kBlockValues / columns_, 1, kBlockRows);
  std::vector<float> block(std::min(step, end) * columns_);
  for (size_t first = 0; first < end; first += step) {
    const size_t count = std::min(step, end - first);
    if (between_parts_) between_parts_();
    read_rows(first, count, block.data());
    body(first, count, static_cast<const float*>(block.data()));
  }
}

void LeastSquares::find_moments() {
  moments_.resize(order_ * order_);
  for_blocks([&](size_t first, size_t count, const float* x) {
    if (!by_rows()) {
      add_product({x, 1, columns_}, {x, columns_, 1}, columns_, columns_, count, 1, moments_.data(),
                  columns_, threads_);
      return;
    }
    // Against the rows up to these, and mirrored: the matrix is symmetric.
    for_blocks(first + count, [&](size_t other, size_t others, const float* y) {
      add_product({x, columns_, 1}, {y, 1, columns_}, count, others, columns_, 1,
                  &moments_[first * order_ + other], order_, threads_);
    });
    for (size_t i = first; i < first + count; ++i) {
      for (size_t j = 0; j < i; ++j) moments_[j * order_ + i] = moments_[i * order_ + j];
    }
  });
}

void LeastSquares::set_strength(double lambda) {
  double trace = 0;
  for (size_t c = 0; c < order_; ++c) trace += moments_[c * order_ + c];
  penalty_ = lambda * (trace / static_cast<double>(columns_)) + 1e-12;
  inverse_ = moments_;
  for (size_t c = 0; c < order_; ++c) inverse_[c * order_ + c] += static_cast<float>(penalty_);
  invert(inverse_.data(), order_, threads_);
  find_left();
}

void LeastSquares::find_left() {
  left_.resize(rows_.size());
  if (by_rows()) {
    for (size_t i = 0; i < left_.size(); ++i) {
      const double left =
          penalty_ * inverse_[i * order_ + i] - 1 / static_cast<double>(rows_.size());
      left_[i] = std::clamp(static_cast<float>(left), kLeastLeftByRows, 1.0f);
    }
    return;
  }
  std::vector<float> product;
  for_blocks([&](size_t first, size_t count, const float* x) {
    product.assign(count * columns_, 0.0f);
    add_product({x, columns_, 1}, {inverse_.data(), columns_, 1}, count, columns_, columns_, 1,
                product.data(), columns_, threads_);
    for (size_t i = 0; i < count; ++i) {
      const float* a = x + i * columns_;
      const float leverage = 1 / static_cast<float>(rows_.size()) +
                             std::inner_product(a, a + columns_, &product[i * columns_], 0.0f);
      left_[first + i] = 1 - std::clamp(leverage, 0.0f, 1 - kLeastLeft);
    }
  });
}

std::vector<float> LeastSquares::fit_columns(View<const float> targets, std::span<const float> mean,
                                             View<float> residuals) const {
  const size_t labels = targets.cols;
  // Xc^T t: the mean of t drops out, because Xc sums to 0.
  std::vector<float> right(columns_ * labels), weight(columns_ * labels);
  for_blocks([&](size_t first, size_t count, const float* x) {
    add_product({x, 1, columns_}, {targets.row(first), labels, 1}, columns_, labels, count, 1,
                right.data(), labels, threads_);
  });
  add_product({inverse_.data(), columns_, 1}, {right.data(), labels, 1}, columns_, labels, columns_,
              1, weight.data(), labels, threads_);
  for (size_t i = 0; i < targets.rows; ++i) std::ranges::copy(mean, residuals.row(i));
  for_blocks([&](size_t first, size_t count, const float* x) {
    add_product({x, columns_, 1}, {weight.data(), labels, 1}, count, labels, columns_, 1,
                residuals.row(first), labels, threads_);
  });
  for (size_t i = 0; i < targets.size(); ++i) {
    residuals.data[i] = targets.data[i] - residuals.data[i];
  }
  return weight;
}

std::vector<float> LeastSquares::fit_rows(View<const float> targets, std::span<const float> mean,
                                          View<float> residuals) const {
  const size_t n = rows_.size(), labels = targets.cols;
  std::vector<float> centred(n * labels), a(n * labels), weight(columns_ * labels);
  for (size_t i = 0; i < centred.size(); ++i) centred[i] = targets.data[i] - mean[i % labels];
  add_product({inverse_.data(), n, 1}, {centred.data(), labels, 1}, n, labels, n, 1, a.data(),
              labels, threads_);
  for_blocks([&](size_t first, size_t count, const float* x) {
    add_product({x, 1, columns_}, {&a[first * labels], labels, 1}, columns_, labels, count, 1,
                weight.data(), labels, threads_);
  });
  for (size_t i = 0; i < a.size(); ++i) residuals.data[i] = static_cast<float>(penalty_) * a[i];
  return weight;
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
  const View<float> residuals = left_out;  // at first
  const std::vector<float> weight = by_rows() ? fit_rows(targets, fit.bias, residuals)
                                              : fit_columns(targets, fit.bias, residuals);
  for (size_t i = 0; i < targets.rows; ++i) {
    for (size_t j = 0; j < labels; ++j) {
      left_out(i, j) = targets(i, j) - residuals(i, j) / left_[i];
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
