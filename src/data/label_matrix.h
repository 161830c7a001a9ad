// A matrix of labels in whatever type its file has, read row by row without copying it whole.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/npy.h"
#include "spml/view.h"

namespace spml {

class LabelMatrix {
 public:
  LabelMatrix() = default;
  explicit LabelMatrix(NpyArray array);                               // mapped
  LabelMatrix(std::vector<int8_t> values, size_t rows, size_t cols);  // owned
  explicit LabelMatrix(View<const int8_t> borrowed);                  // must outlive this object

  bool empty() const { return rows_ == 0; }
  size_t rows() const { return rows_; }
  size_t cols() const { return cols_; }
  std::string source() const;  // the file, or "labels in memory"
  void read_row(size_t row, std::span<int8_t> out) const;
  // Labels first .. first + out.size() of a row; where they are int8, no others are touched.
  void read_part(size_t row, size_t first, std::span<int8_t> out) const;
  // The labels as they lie in memory or in the file; empty where the file's are of another type.
  View<const int8_t> view() const;
  // A hint that this row will be read soon.
  void prefetch_row(size_t row) const;

 private:
  NpyArray array_;
  std::vector<int8_t> values_;
  View<const int8_t> borrowed_;
  size_t rows_ = 0, cols_ = 0;
};

void write_labels(const Path& path, const LabelMatrix& labels);  // .npy, int8
void append_rows(NpyRowWriter& file, const LabelMatrix& labels);

// Errors name file, row and column.
void check_truth(const LabelMatrix& truth, int threads);        // 0 or 1
void check_observed(const LabelMatrix& observed, int threads);  // -1, 0 or 1
// No observed positive is a true negative. The shapes must be the same.
void check_agreement(const LabelMatrix& truth, const LabelMatrix& observed, int threads);

}  // namespace spml
