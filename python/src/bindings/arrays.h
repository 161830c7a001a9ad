// NumPy arrays and the library's views: in without a copy, out without a copy.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spml/spml.h"

namespace spml_python {

namespace py = pybind11;
using namespace py::literals;

// Of exactly this type and in C order: spml/_arrays.py converts what is not.
template <class T>
using Array = py::array_t<T, py::array::c_style>;

[[noreturn]] inline void fail(const std::string& message) {
  throw spml::Error(message, spml::Error::Kind::kUsage);
}

inline std::string shape_text(const py::array& array) {
  return py::str(py::tuple(array.attr("shape"))).cast<std::string>();
}

inline void check_two_dimensions(const py::array& array, const char* what) {
  if (array.ndim() != 2) {
    fail(std::string(what) + ": expected an array of 2 dimensions, found shape " +
         shape_text(array));
  }
}

inline void check_same_shape(const py::array& found, const py::array& expected, const char* what) {
  if (shape_text(found) != shape_text(expected)) {
    fail(std::string(what) + ": expected shape " + shape_text(expected) + ", found " +
         shape_text(found));
  }
}

template <class T>
spml::View<const T> view_of(const Array<T>& array, const char* what) {
  check_two_dimensions(array, what);
  return {array.data(), static_cast<size_t>(array.shape(0)), static_cast<size_t>(array.shape(1))};
}

template <class T>
spml::View<const T> view_of(const std::optional<Array<T>>& array, const char* what) {
  return array ? view_of(*array, what) : spml::View<const T>{};
}

// float32 or float16 in C order where it lies; the array must outlive every use.
inline spml::Features features_of(const py::array& array) {
  check_two_dimensions(array, "features");
  const auto rows = static_cast<size_t>(array.shape(0)), cols = static_cast<size_t>(array.shape(1));
  const bool plain = (array.flags() & py::array::c_style) != 0 && array.dtype().kind() == 'f' &&
                     array.dtype().attr("isnative").cast<bool>();
  if (plain && array.itemsize() == 2) {
    return spml::Features::float16({static_cast<const uint16_t*>(array.data()), rows, cols});
  }
  if (plain && array.itemsize() == 4) {
    return spml::View<const float>{static_cast<const float*>(array.data()), rows, cols};
  }
  fail("features: expected float32 or float16 in C order");
}

// The matrix's own memory as an array: moved, not copied.
template <class T>
py::array_t<T> to_array(spml::Matrix<T> matrix) {
  auto owned = std::make_unique<spml::Matrix<T>>(std::move(matrix));
  const std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(owned->rows()),
                                       static_cast<py::ssize_t>(owned->cols())};
  T* data = owned->data();
  py::capsule keeper(owned.release(), [](void* p) { delete static_cast<spml::Matrix<T>*>(p); });
  return py::array_t<T>(shape, data, keeper);
}

template <class T>
py::array_t<T> to_array(const std::vector<T>& values) {
  return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

// What fills a module.
void add_losses(py::module_& m);
void add_metrics(py::module_& m);
void add_dataset(py::module_& m);
void add_model(py::module_& m);
void add_training(py::module_& m);
void add_settings(py::module_& m);

}  // namespace spml_python
