// The one writer of data folders made by importers.
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "base/fail.h"
#include "data/dataset.h"
#include "data/dataset_json.h"
#include "data/import/import.h"
#include "formats/npy.h"

namespace spml {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStaging = ".import-";

// Features of the user's own do not go by the name of a network.
std::string own_features(std::string_view part) { return fmt::format("{}_features.npy", part); }

bool is_data_file(const std::string& name) {
  return name == "dataset.json" ||
         (name.ends_with(".npy") &&
          (name.starts_with("formatted_train_") || name.starts_with("formatted_val_") ||
           name.starts_with("train_features") || name.starts_with("val_features")));
}

// A folder beside (or, when `out` exists, inside) the final one, removed with all that is left in
// it at the end.
class Staging {
 public:
  explicit Staging(const Path& out) {
    const std::string suffix = fmt::format("{}{}", kStaging, ::getpid());
    path_ = fs::exists(out) ? out / suffix : Path(out.string() + suffix);
    make_folder(path_);
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const Path& path() const { return path_; }

 private:
  Path path_;
};

std::vector<std::string> image_names(const std::vector<ImportedRow>& rows) {
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const ImportedRow& row : rows) names.push_back(row.image);
  return names;
}

void write_rows(const Path& path, const std::vector<ImportedRow>& rows, size_t labels) {
  NpyRowWriter writer(path, DType::kI8, rows.size(), labels);
  std::vector<int8_t> dense(labels);
  for (const ImportedRow& row : rows) {
    for (const ImportedLabel& entry : row.positives) dense[static_cast<size_t>(entry.label)] = 1;
    writer.append(dense);
    for (const ImportedLabel& entry : row.positives) dense[static_cast<size_t>(entry.label)] = 0;
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
  write_rows(set.complete ? truth_file(folder, part) : observed_file(folder, part), rows, labels);
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
    info.image_root =
        fs::relative(fs::absolute(set.image_root), fs::absolute(out)).generic_string();
  }
  if (!set.train_features.file.empty()) info.train_features = own_features("train");
  if (!set.test_features.file.empty()) info.val_features = own_features("val");
  return info;
}

void refuse_occupied(const Path& out) {
  if (fs::exists(out) && !fs::is_directory(out)) fail("{}: expected a folder", out.string());
  if (fs::exists(out) && !fs::is_empty(out)) {
    fail("{}: the folder is not empty; choose another or pass --overwrite", out.string());
  }
}

void remove_earlier(const Path& out, const Path& staging) {
  for (const auto& entry : fs::directory_iterator(out)) {
    const std::string name = entry.path().filename().string();
    if (is_data_file(name)) fs::remove(entry.path());
    if (name.starts_with(kStaging) && entry.path() != staging) fs::remove_all(entry.path());
  }
}

void move_into_place(const Path& staging, const Path& out) {
  for (const auto& entry : fs::directory_iterator(staging)) {
    if (entry.path().filename() != "dataset.json") {
      fs::rename(entry.path(), out / entry.path().filename());
    }
  }
  fs::rename(staging / "dataset.json", out / "dataset.json");
}

}  // namespace

void write_data_folder(const ImportedSet& set, const Path& folder, bool overwrite) {
  // Without a trailing slash, so that the folder has a name to put a suffix to.
  const Path out = folder.has_filename() ? folder : folder.parent_path();
  if (!overwrite) refuse_occupied(out);
  try {
    const bool existed = fs::exists(out);
    const Staging staging(out);
    write_part(set, set.train, set.train_features, "train", staging.path());
    if (!set.test.empty()) {
      write_part(set, set.test, set.test_features, "val", staging.path());
    }
    write_file(staging.path() / "dataset.json", to_json(describe(set, out)));
    if (existed) {
      remove_earlier(out, staging.path());
      move_into_place(staging.path(), out);
    } else {
      fs::rename(staging.path(), out);
    }
  } catch (const fs::filesystem_error& error) {
    fail("{}: cannot write the data folder: {}", out.string(), error.code().message());
  }
}

}  // namespace spml
