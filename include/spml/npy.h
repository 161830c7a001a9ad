// NumPy arrays in .npy files: read into memory, mapped, written. Every function throws spml::Error
// that names the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "spml/features.h"
#include "spml/matrix.h"

namespace spml {

// A file of any numeric type, converted. Labels must be whole numbers from -128 to 127. An array of
// one dimension has one column.
Matrix<float> load_floats(const std::filesystem::path& path);
Matrix<int8_t> load_labels(const std::filesystem::path& path);

// Features of a file where they lie: float32 and float16 in C order are mapped, not read; other
// types are converted once. Copies share the map.
class FeatureFile {
 public:
  explicit FeatureFile(const std::filesystem::path& path);

  size_t rows() const { return view().rows(); }  // N
  size_t cols() const { return view().cols(); }  // D
  Features view() const;                         // valid while a copy of this object is

 private:
  std::shared_ptr<const class FeatureMatrix> matrix_;
};

// Written atomically: the file appears whole, or not at all.
void save_npy(const std::filesystem::path& path, View<const float> values);
void save_npy(const std::filesystem::path& path, View<const int8_t> values);

}  // namespace spml
