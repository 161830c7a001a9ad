// Synthetic data with the shape of the real thing: long-tailed classes that occur together, and
// features like pooled ReLU activations in which a linear classifier finds most, not all, of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/files.h"

namespace spml {

struct SynthOptions {
  size_t rows = 4000;                    // N of the training file
  std::optional<size_t> test_rows = {};  // default: half as many, at least 1
  size_t labels = 20;
  size_t features = 256;
  std::optional<double> expected_positives = {};  // default: 1.5, but at most half the labels
  uint64_t seed = 0;
  int threads = 1;  // the files do not depend on it
};

// Every row is a function of (options, part, row) alone.
class SyntheticModel {
 public:
  explicit SyntheticModel(const SynthOptions& options);  // checks the options

  double expected_positives() const { return k_; }

  // `part` is 0 for the training file, 1 for the test file.
  void draw_labels(int part, size_t row, std::span<int8_t> labels) const;  // (L), 0/1
  void draw_features(int part, size_t row, std::span<const int8_t> labels,
                     std::span<float> features) const;  // (D), none negative

 private:
  size_t scene_of(int part, size_t row) const;

  size_t labels_, features_, scenes_;
  double k_;
  uint64_t seed_;
  std::vector<double> frequency_;        // (L) relative, long-tailed
  std::vector<size_t> home_;             // (L) the scene in which a class is common
  std::vector<float> class_prototypes_;  // (L, D)
  std::vector<float> scene_prototypes_;  // (scenes, D)
  std::vector<float> nuisance_;          // (kNuisances, D): lighting, viewpoint, ...
};

// The contents of an image file (JPEG) that shows these labels; `key` differs from row to row.
using DrawImage = std::function<std::string(std::span<const int8_t> labels, uint64_t key)>;

// Writes truth, observed labels and dataset.json, and features or, given `draw`, images instead.
// The folder must exist; files of an earlier data set are for the caller to keep apart
// (folder_update.h).
void write_synthetic(const Path& folder, const SynthOptions& options, const DrawImage& draw = {});

}  // namespace spml
