// A small legal data folder that a test can spoil.
#pragma once

#include <string>
#include <vector>

#include "data/dataset.h"
#include "testing.h"

namespace spml {

// 3 rows and 2 labels in the training file, 2 rows in the test file, 2 features.
class SmallFolder {
 public:
  SmallFolder() {
    labels(truth_file(path(), "train"), {1, 0, 1, 1, 0, 1}, 2);
    labels(observed_file(path(), "train"), {1, 0, 0, 1, 0, 1}, 2);
    features(features_file(path(), "train"), {1, 2, 3, 4, 5, 6}, 2);
    names(images_file(path(), "train"), {"a.jpg", "b.jpg", "c.jpg"});
    labels(truth_file(path(), "val"), {0, 0, 1, 1}, 2);
    features(features_file(path(), "val"), {7, 8, 9, 10}, 2);
  }

  const Path& path() const { return folder_.path(); }
  Path operator/(const std::string& name) const { return folder_ / name; }

  static void labels(const Path& file, const std::vector<int8_t>& values, size_t cols) {
    write_npy(file, View<const int8_t>{values.data(), values.size() / cols, cols});
  }
  static void features(const Path& file, const std::vector<float>& values, size_t cols) {
    write_npy(file, View<const float>{values.data(), values.size() / cols, cols});
  }
  static void names(const Path& file, const std::vector<std::string>& names) {
    write_npy(file, std::span<const std::string>(names));
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace spml
