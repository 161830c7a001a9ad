#include "data/earlier_features.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/fail.h"
#include "base/folders.h"
#include "data/dataset.h"
#include "data/dataset_json.h"
#include "formats/json.h"

namespace spml {
namespace {

namespace fs = std::filesystem;

constexpr const char* kParts[] = {"train", "val"};

Path earlier_file(const Path& folder, std::string_view part) {
  return folder / fmt::format("{}_features_earlier.npy", part);
}
Path earlier_settings(const Path& folder) { return folder / "features_earlier.json"; }

// The files are large: a second name costs nothing.
void link_or_copy(const Path& from, const Path& to) {
  std::error_code error;
  fs::create_hard_link(from, to, error);
  if (error) fs::copy_file(from, to, error);
  if (error) fail("{}: cannot keep it: {}", from.string(), error.message());
}

std::vector<std::string> texts(const NpyArray& names) {
  std::vector<std::string> result;
  for (size_t i = 0; i < names.rows(); ++i) result.push_back(names.text(i));
  return result;
}

// Whether the new rows of a part are the images of the old ones, none of which has changed.
bool same_images(const Path& folder, const Path& staging, const Path& image_root,
                 std::string_view part) {
  const Path old = images_file(folder, part), now = images_file(staging, part);
  if (path_exists(old) != path_exists(now)) return false;
  if (!path_exists(old)) return true;
  const std::vector<std::string> names = texts(NpyArray(now));
  if (texts(NpyArray(old)) != names) return false;
  const auto rows = read_identities(identity_file(features_file(folder, part)));
  if (!rows || rows->size() != names.size()) return false;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto identity = stat_image(image_root / names[i], names[i]);
    const ImageIdentity& made = (*rows)[i];
    if (!identity || !made.known() || identity->bytes != made.bytes ||
        identity->modified != made.modified) {
      return false;
    }
  }
  return true;
}

std::string extraction_of(const Path& folder) {
  const Path path = folder / "dataset.json";
  if (!path_exists(path)) return "";
  const auto json = parse_ordered_json(read_file(path, kMaxDatasetJson), path.string());
  return json.contains("extraction") ? json["extraction"].dump() : "";
}

// The settings alone, without what is said of rows.
nlohmann::json settings_of(const std::string& extraction, const std::string& where) {
  nlohmann::json json = nlohmann::json::parse(extraction, nullptr, false);
  if (!json.is_object()) fail("{}: expected a JSON object", where);
  json.erase("skipped");
  return json;
}

}  // namespace

KeptFeatures keep_features(const Path& folder, const Path& staging, const Path& image_root) {
  KeptFeatures kept;
  if (!path_exists(features_file(folder, "train"))) {  // those of an update before, if any
    for (const char* part : kParts) {
      const Path file = earlier_file(folder, part);
      if (!path_exists(file)) continue;
      link_or_copy(file, staging / file.filename());
      link_or_copy(identity_file(file), staging / identity_file(file).filename());
    }
    const Path settings = earlier_settings(folder);
    if (path_exists(settings)) link_or_copy(settings, staging / settings.filename());
    return kept;
  }
  const std::string extraction = extraction_of(folder);
  if (extraction.empty()) return kept;
  kept.in_place = std::ranges::all_of(
      kParts, [&](const char* part) { return same_images(folder, staging, image_root, part); });
  if (kept.in_place) kept.extraction = extraction;
  for (const char* part : kParts) {
    const Path file = features_file(folder, part);
    if (!path_exists(file)) continue;
    if (!path_exists(identity_file(file))) {
      kept.without_rows = true;
      continue;
    }
    const Path target = kept.in_place ? staging / file.filename() : earlier_file(staging, part);
    link_or_copy(file, target);
    link_or_copy(identity_file(file), identity_file(target));
  }
  if (!kept.in_place) write_file(earlier_settings(staging), extraction);
  return kept;
}

EarlierFeatures::EarlierFeatures(const Path& folder, const nlohmann::json& settings, size_t cols) {
  const Path made_by = earlier_settings(folder);
  if (!path_exists(made_by)) return;
  if (settings_of(read_file(made_by, kMaxDatasetJson), made_by.string()) != settings) return;
  size_t rows = 0;
  for (const char* part : kParts) {
    const Path file = earlier_file(folder, part);
    if (!path_exists(file)) continue;
    NpyArray array(file);
    const auto identities = read_identities(identity_file(file));
    if (!identities || identities->size() != array.rows() || array.cols() != cols) continue;
    index_.add(*identities);
    first_.push_back(rows);
    rows += array.rows();
    arrays_.push_back(std::move(array));
  }
}

bool EarlierFeatures::read(const ImageIdentity& identity, std::span<float> out) const {
  const auto row = index_.row_of(identity);
  if (!row) return false;
  const auto next = std::ranges::upper_bound(first_, *row);
  const auto part = static_cast<size_t>(next - first_.begin()) - 1;
  arrays_[part].read_row(*row - first_[part], out);
  return std::ranges::all_of(out, [](float x) { return std::isfinite(x); });
}

void EarlierFeatures::remove(const Path& folder) {
  for (const char* part : kParts) {
    remove_file(earlier_file(folder, part));
    remove_file(identity_file(earlier_file(folder, part)));
  }
  remove_file(earlier_settings(folder));
}

}  // namespace spml
