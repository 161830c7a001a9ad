// The data folder: the authors' published layout, opened by mapping and checked on load.
// Words: `train file` is formatted_train_*, later divided into train and val (see split.h);
// `test` is formatted_val_*.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_budget.h"
#include "data/dataset_json.h"
#include "data/feature_matrix.h"
#include "data/label_matrix.h"
#include "formats/npy.h"

namespace spml {

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
  std::optional<FeatureOrigin> extraction;   // how the features were made, where known
  DataPart train_file;
  DataPart test;  // empty when there are no test files
  size_t labels() const { return classes.size(); }
};

struct DatasetOptions {
  bool need_features = false;  // Error that says how to get them when missing
  bool load_features = true;
  bool check_features = true;  // scan for NaN and infinity
  int threads = 1;
  MemoryBudget memory = {};  // for features that cannot be mapped as they are
};

// More are refused: what is kept for each label and each row would not fit, and rows are numbered
// by 32 bits.
constexpr size_t kMaxLabels = 1'000'000;
constexpr size_t kMaxRows = 2'000'000'000;

// Opens and checks a data folder; every Error names file, row and column where there is one.
Dataset open_dataset(const Path& folder, const DatasetOptions& options = {});

// The checks of open_dataset, for data made in memory; gives classes their default names when
// there are none.
void check_dataset(Dataset& data, const DatasetOptions& options = {});

// Labels of one file with at least one row and column and at most kMaxRows and kMaxLabels, values
// unchecked; empty when there is no such file.
LabelMatrix open_labels(const Path& path);

// 16 hex digits that change when shapes, labels, class or image names or features change: all
// labels and names count, and an even sample of feature rows. The folder's place does not, nor
// the type in which a file stores the same labels. For config.json.
std::string fingerprint(const Dataset& data);

// Where an image of a data folder is. image_root may lead anywhere, as an imported folder's does;
// a name stays below it, which is an Error otherwise (`where` begins the message).
Path image_path(const Path& folder, const std::string& image_root, const std::string& name,
                std::string_view where);
// Whether image_root leads out of the folder, which people are told before images are read.
bool images_are_elsewhere(const Path& folder, const std::string& image_root);
std::string elsewhere_notice(const Path& folder, const std::string& image_root);  // in words

// The images of rows of a part of the data, or of all its rows; none when it has no image names.
std::vector<Path> image_files(const Dataset& data, const DataPart& part,
                              std::span<const int32_t> rows);
std::vector<Path> image_files(const Dataset& data, const DataPart& part);
// Of `count` rows of a file of names.
std::vector<Path> image_files(const Path& folder, const std::string& image_root,
                              const NpyArray& names, size_t first, size_t count);

// The files of a data folder. `part` is "train" or "val".
Path truth_file(const Path& folder, std::string_view part);
Path observed_file(const Path& folder, std::string_view part);
Path images_file(const Path& folder, std::string_view part);
Path features_file(const Path& folder, std::string_view part);
// N x L float32, written by importers that know boxes: how large the boxes of a positive label are
// and how close to the image's centre; 0 where there is none. Only biased observation reads them.
Path box_area_file(const Path& folder, std::string_view part);
Path box_closeness_file(const Path& folder, std::string_view part);

}  // namespace spml
