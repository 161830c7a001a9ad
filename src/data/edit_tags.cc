#include "data/edit_tags.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "base/fail.h"
#include "base/folders.h"
#include "base/text.h"
#include "data/dataset.h"
#include "data/dataset_json.h"
#include "data/folder_update.h"
#include "data/tag_names.h"
#include "formats/json.h"

namespace spml {
namespace {

// Where each of the old columns goes.
struct Columns {
  std::vector<size_t> target;  // L
  size_t count = 0;            // of the new columns
};

size_t find_tag(const std::vector<std::string>& names, const std::string& tag, const Path& folder) {
  const auto found = std::ranges::find(names, tag);
  if (found == names.end()) {
    fail("{}: expected a tag of this data, found '{}'{}", folder.string(), tag,
         did_you_mean(tag, names));
  }
  return static_cast<size_t>(found - names.begin());
}

// A row has the merged tag when it has one of its parts, and lacks it when it lacks all.
void merge_labels(std::span<const int8_t> row, const Columns& columns, std::span<int8_t> merged) {
  std::ranges::fill(merged, int8_t{-1});
  for (size_t j = 0; j < row.size(); ++j) {
    int8_t& label = merged[columns.target[j]];
    label = std::max(label, row[j]);
  }
}

void merge_label_file(const Path& path, const Columns& columns, const Path& staging) {
  const LabelMatrix labels = open_labels(path);
  if (labels.empty()) return;
  if (labels.cols() != columns.target.size()) {
    fail("{}: expected {} labels, found {}", path.string(), columns.target.size(), labels.cols());
  }
  NpyRowWriter file(staging / path.filename(), DType::kI8, labels.rows(), columns.count);
  std::vector<int8_t> row(labels.cols()), merged(columns.count);
  for (size_t i = 0; i < labels.rows(); ++i) {
    labels.read_row(i, row);
    merge_labels(row, columns, merged);
    file.append(merged);
  }
  file.finish();
}

// Of the boxes' sizes and places the largest counts.
void merge_weight_file(const Path& path, const Columns& columns, const Path& staging) {
  if (!path_exists(path)) return;
  const NpyArray weights(path);
  if (weights.cols() != columns.target.size()) {
    fail("{}: expected {} labels, found {}", path.string(), columns.target.size(), weights.cols());
  }
  NpyRowWriter file(staging / path.filename(), DType::kF32, weights.rows(), columns.count);
  std::vector<float> row(weights.cols()), merged(columns.count);
  for (size_t i = 0; i < weights.rows(); ++i) {
    weights.read_row(i, row);
    std::ranges::fill(merged, 0.0f);
    for (size_t j = 0; j < row.size(); ++j) {
      float& weight = merged[columns.target[j]];
      weight = std::max(weight, row[j]);
    }
    file.append(merged);
  }
  file.finish();
}

size_t count_positives(const LabelMatrix& labels) {
  std::vector<int8_t> row(labels.cols());
  size_t count = 0;
  for (size_t i = 0; i < labels.rows(); ++i) {
    labels.read_row(i, row);
    count += static_cast<size_t>(std::ranges::count(row, int8_t{1}));
  }
  return count;
}

// dataset.json with the new names; what else it says stays, but for the mean of the labels.
void write_names(const Path& folder, const std::vector<std::string>& names, const Path& staging) {
  const Path path = folder / "dataset.json";
  auto json = nlohmann::ordered_json::object();
  if (path_exists(path)) json = parse_ordered_json(read_file(path, kMaxDatasetJson), path.string());
  json["classes"] = names;
  const LabelMatrix truth = open_labels(staging / truth_file(folder, "train").filename());
  if (json.contains("expected_positives") && !truth.empty()) {
    json["expected_positives"] =
        static_cast<double>(count_positives(truth)) / static_cast<double>(truth.rows());
  }
  write_file(staging / "dataset.json",
             json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

std::vector<size_t> count_columns(const DataPart& part, size_t labels) {
  std::vector<size_t> counts(labels);
  const LabelMatrix& known = part.truth.empty() ? part.observed : part.truth;
  std::vector<int8_t> row(labels);
  for (size_t i = 0; i < known.rows(); ++i) {
    known.read_row(i, row);
    for (size_t j = 0; j < labels; ++j) counts[j] += row[j] > 0;
  }
  return counts;
}

}  // namespace

TagCounts count_tags(const Path& folder) {
  const Dataset data = open_dataset(folder, {.load_features = false});
  return {data.classes, count_columns(data.train_file, data.labels()),
          count_columns(data.test, data.labels())};
}

void merge_tags(const Path& folder, const std::vector<std::string>& tags, const std::string& into) {
  if (tidy_tag(into).empty()) fail("{}: expected a name for the tag", folder.string());
  FolderUpdate update(folder, FolderUpdate::Earlier::kKeep);
  refuse_unfinished(folder);
  const std::vector<std::string> names = open_dataset(folder, {.load_features = false}).classes;

  std::vector<bool> gone(names.size(), false);
  for (const std::string& tag : tags) gone[find_tag(names, tag, folder)] = true;
  const auto other = std::ranges::find(names, into);
  if (other != names.end()) gone[static_cast<size_t>(other - names.begin())] = true;
  // The result stands where the tag of that name does, or where the first of the others does.
  const size_t place = other != names.end() ? static_cast<size_t>(other - names.begin())
                                            : find_tag(names, tags.front(), folder);
  Columns columns;
  columns.target.resize(names.size());
  std::vector<std::string> left;
  for (size_t j = 0; j < names.size(); ++j) {
    if (gone[j] && j != place) continue;
    columns.target[j] = left.size();
    left.push_back(j == place ? into : names[j]);
  }
  for (size_t j = 0; j < names.size(); ++j) {
    if (gone[j]) columns.target[j] = columns.target[place];
  }
  columns.count = left.size();

  for (const char* part : {"train", "val"}) {
    merge_label_file(truth_file(folder, part), columns, update.staging());
    merge_label_file(observed_file(folder, part), columns, update.staging());
    merge_weight_file(box_area_file(folder, part), columns, update.staging());
    merge_weight_file(box_closeness_file(folder, part), columns, update.staging());
  }
  write_names(folder, left, update.staging());
  update.finish();
}

}  // namespace spml
