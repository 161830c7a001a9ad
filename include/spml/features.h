// Features (N, D) where they lie in memory or in a mapped file, as float32 or float16.
#pragma once

#include <cstdint>

#include "spml/matrix.h"

namespace spml {

// Borrowed, like a View: the memory must outlive every use.
class Features {
 public:
  Features() = default;
  Features(View<const float> values) : floats_(values) {}
  Features(View<float> values) : floats_(values) {}
  Features(const Matrix<float>& values) : floats_(values.view()) {}
  // IEEE half precision, as its bits.
  static Features float16(View<const uint16_t> bits) {
    Features features;
    features.halves_ = bits;
    return features;
  }

  bool is_float16() const { return !halves_.empty(); }
  bool empty() const { return rows() == 0; }
  size_t rows() const { return is_float16() ? halves_.rows : floats_.rows; }
  size_t cols() const { return is_float16() ? halves_.cols : floats_.cols; }
  View<const float> floats() const { return floats_; }           // empty when is_float16()
  View<const uint16_t> float16_bits() const { return halves_; }  // empty unless is_float16()

 private:
  View<const float> floats_;
  View<const uint16_t> halves_;
};

}  // namespace spml
