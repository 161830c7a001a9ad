// A borrowed, row-major, contiguous matrix. Letters used for shapes throughout the project:
// N examples, B examples in a batch, L labels, D features.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

namespace spml {

template <class T>
struct View {
  T* data = nullptr;
  size_t rows = 0;
  size_t cols = 0;

  T* row(size_t i) const { return data + i * cols; }
  T& operator()(size_t i, size_t j) const { return data[i * cols + j]; }
  size_t size() const { return rows * cols; }
  bool empty() const { return data == nullptr; }
  std::span<T> flat() const { return {data, size()}; }

  operator View<const T>() const requires(!std::is_const_v<T>) { return {data, rows, cols}; }
};

}  // namespace spml
