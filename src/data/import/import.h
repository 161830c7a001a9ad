// From what people download to a data folder. Each source has a reader that gives an ImportedSet;
// one writer makes the folder. docs/datasets.md has the trees that are expected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"

namespace spml {

// More are refused: far above any real set, so that a wrong column or file is the likely cause.
constexpr size_t kMaxClasses = 65536;
constexpr size_t kMaxClassName = 512;  // bytes

struct ImportedLabel {
  int32_t label = 0;
  // From the label's boxes in the image, 0 where there is none (see boxes.h).
  float area = 0;
  float closeness = 0;
};

struct ImportedRow {
  std::string image;                     // relative to image_root, '/' between folders
  std::vector<ImportedLabel> positives;  // ascending, each label once
  std::vector<int32_t> negatives = {};   // known to be absent, each label once
  bool complete = false;                 // what is not listed is absent
};

struct PublishedCounts {
  size_t train_rows = 0, test_rows = 0, labels = 0;
};

// A feature matrix of the user's and which of its rows belong to the rows of a part, in order.
struct FeatureSource {
  Path file;  // .npy; "" when there is none
  std::vector<size_t> rows;
};

struct ImportedSet {
  std::string name;
  std::vector<std::string> classes;  // L names
  std::vector<ImportedRow> train;    // -> formatted_train_*
  std::vector<ImportedRow> test;     // -> formatted_val_*; empty: no such files
  Path image_root;
  bool complete = true;       // every positive is listed: truth files; else observed labels
  bool full_test = false;     // the same of the test rows alone
  bool all_observed = false;  // training is to use every label: observed labels beside the truth
  bool has_boxes = false;     // then the box files are written too
  FeatureSource train_features, test_features;
  std::vector<std::string> label_columns;  // of a table with a header: those taken for labels
  std::optional<PublishedCounts> published;
  std::vector<std::string> warnings;
};

struct ImageOptions {
  Path root = {};              // where images are; "": where the data set keeps them
  bool allow_missing = false;  // a missing image is a warning, not an error
};

struct VocOptions {
  ImageOptions images = {};
  int year = 0;  // 0: 2012 when it is there, else the only one
};
ImportedSet import_voc(const Path& source, const VocOptions& options = {});

struct CocoOptions {
  ImageOptions images = {};
  int year = 0;  // 2014 or 2017; 0: 2014 when it is there
};
ImportedSet import_coco(const Path& source, const CocoOptions& options = {});

struct NusOptions {
  ImageOptions images = {};
  size_t train_rows = 0;  // 0: 150,000, or the same share of a smaller tree
  uint32_t seed = 1200;   // of the random split
};
ImportedSet import_nus(const Path& source, const NusOptions& options = {});

ImportedSet import_cub(const Path& source, const ImageOptions& options = {});

enum class TableFormat { kByName, kCsv, kJsonLines };

struct TableOptions {
  ImageOptions images = {};
  // kByName: JSON Lines when the name ends in .jsonl, .ndjson or .json, else CSV.
  TableFormat format = TableFormat::kByName;
  Path classes = {};        // one name per line; "": collected from the table and sorted
  bool complete = false;    // the table lists every label: write truth, not observed labels
  bool full_test = false;   // the same of the test rows alone
  Path complete_rows = {};  // images whose labels are all listed, one per line
  bool header = true;       // the first record names the columns, unless it names an image (CSV)
  std::string image_column = {};  // "" and none: found by their names (CSV)
  std::vector<std::string> label_columns = {};
  std::string tag_separator = {};  // divides cells into tags; "none": nothing does; "": found
  bool keep_case = false;          // "Cat" and "cat" are two labels
  Path features = {};              // .npy, one row per image in order of first appearance
  Path test_features = {};
};
ImportedSet import_table(const Path& source, const TableOptions& options = {});

ImportedSet import_folder(const Path& source);

// Writes the data folder. The files appear together (see folder_update.h). Error when `out` is not
// empty, unless `overwrite`, which replaces the files of an earlier data folder and touches no
// other.
void write_data_folder(const ImportedSet& set, const Path& out, bool overwrite = false);

// The same in place of the data folder that is there, if any, of which it keeps the features:
// `spml extract` makes those of new images only. Gives what a user should know, or "".
std::string update_data_folder(const ImportedSet& set, const Path& out);

// What a user wants to see after an import.
struct PartCounts {
  size_t rows = 0, positives = 0, rows_without_positive = 0;
  size_t negatives = 0;  // known to be absent where labels are observed
};
struct ImportReport {
  std::string name;
  size_t labels = 0;
  bool complete = true;
  PartCounts train, test;
  std::vector<std::string> label_columns;
  std::optional<PublishedCounts> published;
  std::vector<std::string> warnings;  // those of the set, and differences from the published counts
  // Pairs of tags in a user's own data that are likely the same, each in words, and the commands
  // that merge them in the folder `out`.
  std::vector<std::string> similar, merges;
};
ImportReport report_import(const ImportedSet& set, const Path& out = {});

}  // namespace spml
