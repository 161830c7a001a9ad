// Features in C order, float32 or float16: mapped where the file allows, else converted once to
// float32 in memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "formats/npy.h"
#include "spml/features.h"

namespace spml {

class FeatureMatrix {
 public:
  FeatureMatrix() = default;
  // Error when the file's numbers have to be converted and do not fit in memory then.
  explicit FeatureMatrix(NpyArray array, const MemoryBudget& memory = {});
  FeatureMatrix(std::vector<float> values, size_t rows, size_t cols);
  explicit FeatureMatrix(const Features& borrowed);  // must outlive this object

  bool empty() const { return rows_ == 0; }
  size_t rows() const { return rows_; }
  size_t cols() const { return cols_; }
  bool is_half() const { return half_; }
  uint64_t bytes() const { return values_.size() * sizeof(float); }  // in memory, not mapped
  std::string source() const;           // the file, or "features in memory"
  View<const float> floats() const;     // Error when is_half()
  View<const uint16_t> halves() const;  // raw float16 bits; Error unless is_half()
  void read_row(size_t row, std::span<float> out) const;
  // All of it, borrowed from this object.
  Features view() const;
  // Error naming file, row and column at the first NaN or infinity.
  void check_finite(int threads) const;

 private:
  NpyArray array_;
  std::vector<float> values_;  // used unless the file itself can be viewed
  Features borrowed_;
  size_t rows_ = 0, cols_ = 0;
  bool half_ = false;
};

}  // namespace spml
