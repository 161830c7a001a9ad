// The one writer of data folders made by importers.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/fail.h"
#include "base/folders.h"
#include "base/memory_budget.h"
#include "data/dataset.h"
#include "data/dataset_json.h"
#include "data/earlier_features.h"
#include "data/folder_update.h"
#include "data/import/images.h"
#include "data/import/import.h"
#include "formats/json.h"
#include "formats/npy.h"

namespace spml {
namespace {

namespace fs = std::filesystem;

// Features of the user's own do not go by the name of a network.
std::string own_features(std::string_view part) { return fmt::format("{}_features.npy", part); }

std::vector<std::string> image_names(const std::vector<ImportedRow>& rows) {
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const ImportedRow& row : rows) names.push_back(row.image);
  return names;
}

// Truth, 0 and 1, or observed labels, in which -1 is known to be absent; in kAllObserved that is
// all that is not listed.
enum class RowLabels { kTruth, kObserved, kAllObserved };

void write_rows(const Path& path, const std::vector<ImportedRow>& rows, size_t labels,
                RowLabels labels_are) {
  const bool truth = labels_are == RowLabels::kTruth;
  NpyRowWriter writer(path, DType::kI8, rows.size(), labels);
  std::vector<int8_t> dense(labels);
  for (const ImportedRow& row : rows) {
    const bool complete = row.complete || labels_are == RowLabels::kAllObserved;
    std::ranges::fill(dense, static_cast<int8_t>(complete && !truth ? -1 : 0));
    if (!truth) {
      for (const int32_t absent : row.negatives) dense[static_cast<size_t>(absent)] = -1;
    }
    for (const ImportedLabel& entry : row.positives) dense[static_cast<size_t>(entry.label)] = 1;
    writer.append(dense);
  }
  writer.finish();
}

void write_weights(const Path& path, const std::vector<ImportedRow>& rows, size_t labels,
                   float ImportedLabel::*weight) {
  NpyRowWriter writer(path, DType::kF32, rows.size(), labels);
  std::vector<float> dense(labels);
  for (const ImportedRow& row : rows) {
    for (const ImportedLabel& e : row.positives) dense[static_cast<size_t>(e.label)] = e.*weight;
    writer.append(dense);
    for (const ImportedLabel& e : row.positives) dense[static_cast<size_t>(e.label)] = 0;
  }
  writer.finish();
}

// A copy, so that the folder is whole on its own; float16 stays float16.
void write_features(const Path& path, const FeatureSource& source) {
  const NpyArray array(source.file);
  const DType dtype = array.header().dtype == DType::kF16 ? DType::kF16 : DType::kF32;
  MemoryBudget().require(
      saturating_product(array.cols(), sizeof(float)),
      fmt::format("{}: a row of {} features", source.file.string(), array.cols()));
  NpyRowWriter writer(path, dtype, source.rows.size(), array.cols());
  std::vector<float> row(array.cols());
  for (const size_t i : source.rows) {
    array.read_row(i, row);
    const auto bad =
        std::find_if(row.begin(), row.end(), [](float x) { return !std::isfinite(x); });
    if (bad != row.end()) {
      fail("{}: expected finite features, found {} at row {}, column {}", source.file.string(),
           *bad, i, bad - row.begin());
    }
    writer.append(row);
  }
  writer.finish();
}

void write_part(const ImportedSet& set, const std::vector<ImportedRow>& rows,
                const FeatureSource& features, std::string_view part, const Path& folder) {
  const size_t labels = set.classes.size();
  write_npy(images_file(folder, part), image_names(rows));
  const bool truth = set.complete || (set.full_test && part == "val");
  write_rows(truth ? truth_file(folder, part) : observed_file(folder, part), rows, labels,
             truth ? RowLabels::kTruth : RowLabels::kObserved);
  if (set.all_observed && part == "train") {
    write_rows(observed_file(folder, part), rows, labels, RowLabels::kAllObserved);
  }
  if (set.has_boxes) {
    write_weights(box_area_file(folder, part), rows, labels, &ImportedLabel::area);
    write_weights(box_closeness_file(folder, part), rows, labels, &ImportedLabel::closeness);
  }
  if (!features.file.empty()) write_features(folder / own_features(part), features);
}

DatasetInfo describe(const ImportedSet& set, const Path& out) {
  DatasetInfo info;
  info.name = set.name;
  info.classes = set.classes;
  const PartCounts train = report_import(set).train;
  if (set.complete && train.positives > 0) {  // observed labels do not say how many there are
    info.expected_positives =
        static_cast<double>(train.positives) / static_cast<double>(train.rows);
  }
  if (!set.image_root.empty()) {
    // Absolute first: what a name that does not exist yet is relative to is not looked at.
    std::error_code error;
    info.image_root =
        fs::relative(fs::absolute(set.image_root), fs::absolute(out), error).generic_string();
    if (error) fail("{}: cannot look it up: {}", set.image_root.string(), error.message());
  }
  if (!set.train_features.file.empty()) info.train_features = own_features("train");
  if (!set.test_features.file.empty()) info.val_features = own_features("val");
  return info;
}

void check_class(int32_t label, const ImportedRow& row, const ImportedSet& set, const Path& out) {
  if (label >= 0 && static_cast<size_t>(label) < set.classes.size()) return;
  fail("{}: '{}': expected a label below {}, found {}", out.string(), row.image, set.classes.size(),
       label);
}

void write_set(const ImportedSet& set, const FolderUpdate& update) {
  write_part(set, set.train, set.train_features, "train", update.staging());
  if (!set.test.empty()) {
    write_part(set, set.test, set.test_features, "val", update.staging());
  }
  write_file(update.staging() / "dataset.json", to_json(describe(set, update.out())));
}

// What the folder says of the features that stay.
void add_extraction(const Path& dataset_json, const std::string& extraction) {
  auto json = parse_ordered_json(read_file(dataset_json), dataset_json.string());
  json["extraction"] = nlohmann::ordered_json::parse(extraction);
  write_file(dataset_json,
             json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

// Whatever the source, a folder is written that can be opened again.
void check_set(const ImportedSet& set, const Path& out) {
  if (set.classes.size() > kMaxClasses) {
    fail("{}: expected at most {} classes, found {}", out.string(), kMaxClasses,
         set.classes.size());
  }
  std::unordered_map<std::string_view, size_t> entry_of;
  for (size_t i = 0; i < set.classes.size(); ++i) {
    const std::string& name = set.classes[i];
    if (name.empty()) fail("{}: expected class {} to have a name", out.string(), i);
    if (const auto [place, is_new] = entry_of.emplace(name, i); !is_new) {
      fail("{}: expected each name of a class once, found '{}' as classes {} and {}; rename one",
           out.string(), name.substr(0, 100), place->second, i);
    }
    if (name.size() <= kMaxClassName) continue;
    fail("{}: expected names of classes of at most {} bytes, found '{}...'", out.string(),
         kMaxClassName, name.substr(0, 40));
  }
  for (const auto* rows : {&set.train, &set.test}) {
    for (const ImportedRow& row : *rows) {
      check_name(row.image, out.string());
      for (const ImportedLabel& entry : row.positives) check_class(entry.label, row, set, out);
      for (const int32_t absent : row.negatives) check_class(absent, row, set, out);
    }
  }
}

}  // namespace

void write_data_folder(const ImportedSet& set, const Path& folder, bool overwrite) {
  check_set(set, folder);
  FolderUpdate update(folder, overwrite);
  write_set(set, update);
  update.finish();
}

std::string update_data_folder(const ImportedSet& set, const Path& folder) {
  check_set(set, folder);
  const bool existed = path_exists(folder / "dataset.json");
  FolderUpdate update(folder, existed);
  write_set(set, update);
  KeptFeatures kept;
  if (existed && set.train_features.file.empty()) {
    kept = keep_features(update.out(), update.staging(), set.image_root);
    if (kept.in_place) add_extraction(update.staging() / "dataset.json", kept.extraction);
  }
  update.finish();
  return kept.without_rows
             ? "the features were made by an earlier version, which did not record their images: "
               "spml extract makes all of them again"
             : "";
}

}  // namespace spml
