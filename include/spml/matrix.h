// A matrix that owns its memory, row-major and contiguous. view() lends it to the functions of the
// library, which take their inputs as borrowed View.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "spml/error.h"
#include "spml/view.h"

namespace spml {

template <class T>
class Matrix {
 public:
  Matrix() = default;
  Matrix(size_t rows, size_t cols, T value = {})
      : values_(rows * cols, value), rows_(rows), cols_(cols) {}
  // Takes values, row after row. Error unless there are rows * cols of them.
  Matrix(size_t rows, size_t cols, std::vector<T> values)
      : values_(std::move(values)), rows_(rows), cols_(cols) {
    if (values_.size() != rows * cols) {
      throw Error("expected " + std::to_string(rows) + " x " + std::to_string(cols) +
                  " values, found " + std::to_string(values_.size()));
    }
  }
  // A copy of what a view shows.
  explicit Matrix(View<const T> view)
      : values_(view.data, view.data + view.size()), rows_(view.rows), cols_(view.cols) {}

  size_t rows() const { return rows_; }
  size_t cols() const { return cols_; }
  size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }

  T& operator()(size_t i, size_t j) { return values_[i * cols_ + j]; }
  const T& operator()(size_t i, size_t j) const { return values_[i * cols_ + j]; }
  std::span<T> row(size_t i) { return {values_.data() + i * cols_, cols_}; }
  std::span<const T> row(size_t i) const { return {values_.data() + i * cols_, cols_}; }

  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  std::span<T> flat() { return values_; }
  std::span<const T> flat() const { return values_; }

  // Borrowed: valid while this matrix is neither destroyed nor assigned to. Empty where this is.
  View<T> view() { return {empty() ? nullptr : data(), rows_, cols_}; }
  View<const T> view() const { return {empty() ? nullptr : data(), rows_, cols_}; }
  operator View<const T>() const { return view(); }

  bool operator==(const Matrix&) const = default;

 private:
  std::vector<T> values_;
  size_t rows_ = 0, cols_ = 0;
};

}  // namespace spml
