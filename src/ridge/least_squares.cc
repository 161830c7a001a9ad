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
// Of the moments' columns, so that little is computed above the diagonal.
constexpr size_t kColumnsAtOnce = 512;
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
    if (by_rows()) {
      for_blocks(first + count, [&](size_t other, size_t others, const float* y) {
        add_product({x, columns_, 1}, {y, 1, columns_}, count, others, columns_, 1,
                    &moments_[first * order_ + other], order_, threads_);
      });
      return;
    }
    for (size_t c = 0; c < columns_; c += kColumnsAtOnce) {
      add_product({x + c, 1, columns_}, {x + c, columns_, 1}, columns_ - c,
                  std::min(kColumnsAtOnce, columns_ - c), count, 1, &moments_[c * columns_ + c],
                  columns_, threads_);
    }
  });
}

LeastSquares::Penalised LeastSquares::with_strength(double lambda) const {
  double trace = 0;
  for (size_t c = 0; c < order_; ++c) trace += moments_[c * order_ + c];
  Penalised with;
  with.penalty = lambda * (trace / static_cast<double>(columns_)) + 1e-12;
  std::vector<float> matrix = moments_;
  for (size_t c = 0; c < order_; ++c) {
    matrix[c * order_ + c] += static_cast<float>(with.penalty);
  }
  if (between_parts_) between_parts_();
  with.factor = Cholesky(std::move(matrix), order_, threads_);
  find_left(with);
  return with;
}

void LeastSquares::find_left(Penalised& with) const {
  const auto n = static_cast<float>(rows_.size());
  if (by_rows()) {
    with.left = with.factor.inverse_diagonal(threads_);
    for (float& left : with.left) {
      const double value = with.penalty * left - 1 / static_cast<double>(n);
      left = std::clamp(static_cast<float>(value), kLeastLeftByRows, 1.0f);
    }
    return;
  }
  with.left.resize(rows_.size());
  std::vector<float> solved;
  for_blocks([&](size_t first, size_t count, const float* x) {
    solved.assign(x, x + count * columns_);
    with.factor.solve_lower(solved.data(), count, 0, threads_);
    for (size_t i = 0; i < count; ++i) {
      const float* y = &solved[i * columns_];
      const float leverage = 1 / n + std::inner_product(y, y + columns_, y, 0.0f);
      with.left[first + i] = 1 - std::clamp(leverage, 0.0f, 1 - kLeastLeft);
    }
  });
}

std::vector<float> LeastSquares::fit_columns(const Cholesky& factor, View<const float> targets,
                                             std::span<const float> mean,
                                             View<float> residuals) const {
  const size_t labels = targets.cols;
  // t^T Xc: the mean of t drops out, because Xc sums to 0.
  std::vector<float> weight(labels * columns_);
  for_blocks([&](size_t first, size_t count, const float* x) {
    add_product({targets.row(first), 1, labels}, {x, columns_, 1}, labels, columns_, count, 1,
                weight.data(), columns_, threads_);
  });
  factor.solve(weight.data(), labels, threads_);
  for (size_t i = 0; i < targets.rows; ++i) std::ranges::copy(mean, residuals.row(i));
  for_blocks([&](size_t first, size_t count, const float* x) {
    add_product({x, columns_, 1}, {weight.data(), 1, columns_}, count, labels, columns_, 1,
                residuals.row(first), labels, threads_);
  });
  for (size_t i = 0; i < targets.size(); ++i) {
    residuals.data[i] = targets.data[i] - residuals.data[i];
  }
  return weight;
}

std::vector<float> LeastSquares::fit_rows(const Penalised& with, View<const float> targets,
                                          std::span<const float> mean,
                                          View<float> residuals) const {
  const size_t n = rows_.size(), labels = targets.cols;
  std::vector<float> a(labels * n), weight(labels * columns_);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < labels; ++j) a[j * n + i] = targets(i, j) - mean[j];
  }
  with.factor.solve(a.data(), labels, threads_);
  for_blocks([&](size_t first, size_t count, const float* x) {
    add_product({&a[first], n, 1}, {x, columns_, 1}, labels, columns_, count, 1, weight.data(),
                columns_, threads_);
  });
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < labels; ++j) {
      residuals(i, j) = static_cast<float>(with.penalty) * a[j * n + i];
    }
  }
  return weight;
}

LinearFit LeastSquares::fit(const Penalised& with, View<const float> targets,
                            View<float> left_out) const {
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
  fit.weight = by_rows() ? fit_rows(with, targets, fit.bias, residuals)
                         : fit_columns(with.factor, targets, fit.bias, residuals);
  for (size_t i = 0; i < targets.rows; ++i) {
    for (size_t j = 0; j < labels; ++j) {
      left_out(i, j) = targets(i, j) - residuals(i, j) / with.left[i];
    }
  }
  for (size_t j = 0; j < labels; ++j) {
    const float* weight = &fit.weight[j * columns_];
    fit.bias[j] -= std::inner_product(weight, weight + columns_, mean_.data(), 0.0f);
  }
  return fit;
}

}  // namespace spml
