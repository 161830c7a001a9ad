#include "data/label_matrix.h"

#include <algorithm>

#include "base/fail.h"
#include "base/prefetch.h"
#include "data/row_blocks.h"

namespace spml {
namespace {

void check_range(const LabelMatrix& labels, int8_t lowest, std::string_view legal, int threads) {
  for_row_blocks(labels.rows(), threads, [&](size_t begin, size_t end) {
    std::vector<int8_t> row(labels.cols());
    for (size_t i = begin; i < end; ++i) {
      labels.read_row(i, row);
      const auto bad = std::ranges::find_if(row, [&](int8_t y) { return y < lowest || y > 1; });
      if (bad != row.end()) {
        fail("{}: row {}, column {}: expected a label of {}, found {}", labels.source(), i,
             bad - row.begin(), legal, *bad);
      }
    }
  });
}

}  // namespace

LabelMatrix::LabelMatrix(NpyArray array)
    : array_(std::move(array)), rows_(array_.rows()), cols_(array_.cols()) {}

LabelMatrix::LabelMatrix(std::vector<int8_t> values, size_t rows, size_t cols)
    : values_(std::move(values)), rows_(rows), cols_(cols) {
  if (cols != 0 && (values_.size() / cols != rows || values_.size() % cols != 0)) {
    fail("expected {} x {} labels, found {} values", rows, cols, values_.size());
  }
}

LabelMatrix::LabelMatrix(View<const int8_t> borrowed)
    : borrowed_(borrowed), rows_(borrowed.rows), cols_(borrowed.cols) {}

std::string LabelMatrix::source() const {
  return array_.empty() ? "labels in memory" : array_.path().string();
}

View<const int8_t> LabelMatrix::view() const {
  if (!borrowed_.empty()) return borrowed_;
  if (array_.empty()) return {values_.data(), rows_, cols_};
  if (!array_.is_native<int8_t>()) return {};
  return {reinterpret_cast<const int8_t*>(array_.data()), rows_, cols_};
}

void LabelMatrix::read_row(size_t row, std::span<int8_t> out) const {
  if (out.size() != cols_) fail("expected to read {} labels, not {}", cols_, out.size());
  read_part(row, 0, out);
}

void LabelMatrix::read_part(size_t row, size_t first, std::span<int8_t> out) const {
  if (row >= rows_ || first > cols_ || out.size() > cols_ - first) {
    fail("expected labels of a {} x {} matrix, asked for row {} and {} labels from {}", rows_,
         cols_, row, out.size(), first);
  }
  if (const View<const int8_t> labels = view(); !labels.empty()) {
    std::copy_n(labels.row(row) + first, out.size(), out.begin());
  } else if (out.size() == cols_) {
    array_.read_row(row, out);
  } else {
    std::vector<int8_t> whole(cols_);
    array_.read_row(row, std::span(whole));
    std::copy_n(whole.begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.begin());
  }
}

void LabelMatrix::prefetch_row(size_t row) const {
  const size_t bytes = cols_ * (array_.empty() ? 1 : array_.header().item_size);
  const void* first = array_.empty() ? static_cast<const void*>(view().data) : array_.data();
  prefetch(static_cast<const char*>(first) + row * bytes, bytes);
}

void write_labels(const Path& path, const LabelMatrix& labels) {
  NpyRowWriter writer(path, DType::kI8, labels.rows(), labels.cols());
  append_rows(writer, labels);
  writer.finish();
}

void append_rows(NpyRowWriter& file, const LabelMatrix& labels) {
  std::vector<int8_t> row(labels.cols());
  for (size_t i = 0; i < labels.rows(); ++i) {
    labels.read_row(i, row);
    file.append(std::span<const int8_t>(row));
  }
}

void check_truth(const LabelMatrix& truth, int threads) {
  check_range(truth, 0, "0 or 1", threads);
}

void check_observed(const LabelMatrix& observed, int threads) {
  check_range(observed, -1, "-1, 0 or 1", threads);
}

void check_agreement(const LabelMatrix& truth, const LabelMatrix& observed, int threads) {
  for_row_blocks(truth.rows(), threads, [&](size_t begin, size_t end) {
    std::vector<int8_t> y(truth.cols()), o(truth.cols());
    for (size_t i = begin; i < end; ++i) {
      truth.read_row(i, y);
      observed.read_row(i, o);
      for (size_t j = 0; j < y.size(); ++j) {
        if (o[j] == 1 && y[j] == 0) {
          fail(
              "{}: row {}, column {}: an observed positive is a true negative in {}; mend one of "
              "the files",
              observed.source(), i, j, truth.source());
        }
      }
    }
  });
}

}  // namespace spml
