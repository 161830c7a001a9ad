#include "data/feature_matrix.h"

#include <algorithm>
#include <bit>

#include "base/fail.h"
#include "base/float16.h"
#include "data/row_blocks.h"

namespace spml {
namespace {

bool is_finite(float x) { return (std::bit_cast<uint32_t>(x) & 0x7f800000u) != 0x7f800000u; }
bool is_finite(uint16_t half) { return (half & kHalfExponent) != kHalfExponent; }
float to_float(float x) { return x; }
float to_float(uint16_t half) { return half_to_float(half); }

template <class T>
void check_rows(View<const T> values, const std::string& source, int threads) {
  for_row_blocks(values.rows, threads, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const T* row = values.row(i);
      bool finite = true;  // without a branch, so that the compiler makes it SIMD
      for (size_t j = 0; j < values.cols; ++j) finite &= is_finite(row[j]);
      if (finite) continue;
      const size_t j =
          std::find_if(row, row + values.cols, [](T x) { return !is_finite(x); }) - row;
      fail("{}: row {}, column {}: expected a finite feature, found {}", source, i, j,
           to_float(row[j]));
    }
  });
}

}  // namespace

FeatureMatrix::FeatureMatrix(NpyArray array, const MemoryBudget& memory)
    : array_(std::move(array)), rows_(array_.rows()), cols_(array_.cols()) {
  half_ = array_.is_native<uint16_t>();
  if (half_ || array_.is_native<float>()) return;
  memory.require(saturating_product(rows_, cols_, sizeof(float)),
                 fmt::format("{}: its conversion from {} to float32 in C order", source(),
                             to_string(array_.header().dtype)));
  values_.resize(rows_ * cols_);
  for (size_t i = 0; i < rows_; ++i) {
    array_.read_row(i, std::span(values_).subspan(i * cols_, cols_));
  }
}

FeatureMatrix::FeatureMatrix(std::vector<float> values, size_t rows, size_t cols)
    : values_(std::move(values)), rows_(rows), cols_(cols) {
  if (cols != 0 && (values_.size() / cols != rows || values_.size() % cols != 0)) {
    fail("expected {} x {} features, found {} values", rows, cols, values_.size());
  }
}

FeatureMatrix::FeatureMatrix(const Features& borrowed)
    : borrowed_(borrowed),
      rows_(borrowed.rows()),
      cols_(borrowed.cols()),
      half_(borrowed.is_float16()) {}

std::string FeatureMatrix::source() const {
  return array_.empty() ? "features in memory" : array_.path().string();
}

View<const float> FeatureMatrix::floats() const {
  if (half_) fail("{}: expected float32 features, found float16", source());
  if (!borrowed_.empty()) return borrowed_.floats();
  if (!values_.empty() || array_.empty()) return {values_.data(), rows_, cols_};
  return array_.view<float>();
}

View<const uint16_t> FeatureMatrix::halves() const {
  if (!half_) fail("{}: expected float16 features, found float32", source());
  return borrowed_.empty() ? array_.view<uint16_t>() : borrowed_.float16_bits();
}

Features FeatureMatrix::view() const {
  if (half_) return Features::float16(halves());
  return floats();
}

void FeatureMatrix::read_row(size_t row, std::span<float> out) const {
  if (row >= rows_ || out.size() != cols_) {
    fail("{}: expected a row below {} of {} features, asked for row {} of {}", source(), rows_,
         cols_, row, out.size());
  }
  if (half_) {
    std::transform(halves().row(row), halves().row(row) + cols_, out.begin(), half_to_float);
  } else {
    std::copy_n(floats().row(row), cols_, out.begin());
  }
}

void FeatureMatrix::check_finite(int threads) const {
  if (half_) return check_rows(halves(), source(), threads);
  check_rows(floats(), source(), threads);
}

}  // namespace spml
