// The data folder: the authors' published layout, opened by mapping and checked on load.
// Words: `train file` is formatted_train_*, later divided into train and val (see split.h);
// `test` is formatted_val_*.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/npy.h"
#include "spml/view.h"

namespace spml {

// A matrix of labels in whatever type the file has, read without copying it whole.
class LabelMatrix {
 public:
  LabelMatrix() = default;
  explicit LabelMatrix(NpyArray array);                               // mapped
  LabelMatrix(std::vector<int8_t> values, size_t rows, size_t cols);  // owned

  bool empty() const { return rows_ == 0; }
  size_t rows() const { return rows_; }
  size_t cols() const { return cols_; }
  void read_row(size_t row, std::span<int8_t> out) const;

 private:
  NpyArray array_;
  std::vector<int8_t> values_;
  size_t rows_ = 0, cols_ = 0;
};

// Features in C order, float32 or float16: mapped where the file allows, else converted once to
// float32 in memory.
class FeatureMatrix {
 public:
  FeatureMatrix() = default;
  explicit FeatureMatrix(NpyArray array);
  FeatureMatrix(std::vector<float> values, size_t rows, size_t cols);

  bool empty() const { return rows_ == 0; }
  size_t rows() const { return rows_; }
  size_t cols() const { return cols_; }
  bool is_half() const { return half_; }
  View<const float> floats() const;     // Error when is_half()
  View<const uint16_t> halves() const;  // raw float16 bits; Error unless is_half()
  void read_row(size_t row, std::span<float> out) const;
  // Error naming file, row and column at the first NaN or infinity.
  void check_finite(int threads) const;

 private:
  NpyArray array_;
  std::vector<float> values_;
  const void* data_ = nullptr;
  size_t rows_ = 0, cols_ = 0;
  bool half_ = false;
};

// One of the two files' worth of data. Any member may be empty.
struct DataPart {
  LabelMatrix truth;       // N x L, 0/1
  LabelMatrix observed;    // N x L, -1/0/+1
  NpyArray images;         // N names; use images.text(row)
  FeatureMatrix features;  // N x D
  size_t rows() const;     // of whichever member is there; 0 when none is
  size_t labels() const;
};

struct Dataset {
  Path folder;
  std::string name;
  std::vector<std::string> classes;          // L names; "label_0".. when the folder has none
  std::optional<double> expected_positives;  // from dataset.json
  std::string image_root;                    // absolute or relative to folder; "" when not given
  DataPart train_file;
  DataPart test;  // empty when there are no test files
  size_t labels() const { return classes.size(); }
};

struct DatasetOptions {
  bool need_features = false;  // Error that says how to get them when missing
  bool load_features = true;
  bool check_features = true;  // scan for NaN and infinity
  int threads = 1;
};

// Opens and checks a data folder; every Error names file, row and column where there is one.
Dataset open_dataset(const Path& folder, const DatasetOptions& options = {});

// A hash of the folder's contents that changes when labels, names or features change (file sizes,
// headers, all labels and a sample of feature rows). For config.json.
std::string fingerprint(const Dataset& data);

}  // namespace spml
