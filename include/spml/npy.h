// Loading NumPy arrays into memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spml/view.h"

namespace spml {

template <class T>
struct Array {
  std::vector<T> values;
  size_t rows = 0, cols = 0;
  View<const T> view() const { return {values.data(), rows, cols}; }
};

// A .npy file of any numeric type, converted. Labels must be whole numbers. Throws spml::Error.
Array<float> load_floats(const std::string& path);
Array<int8_t> load_labels(const std::string& path);

}  // namespace spml
