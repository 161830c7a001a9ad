#include "data/import/rows.h"

#include <algorithm>

#include "base/fail.h"

namespace spml {
namespace {

auto place_of(ImportedRow& row, int32_t label) {
  return std::lower_bound(row.positives.begin(), row.positives.end(), label,
                          [](const ImportedLabel& entry, int32_t l) { return entry.label < l; });
}

}  // namespace

ImportedLabel& add_positive(ImportedRow& row, int32_t label) {
  const auto place = place_of(row, label);
  if (place != row.positives.end() && place->label == label) return *place;
  return *row.positives.insert(place, ImportedLabel{label});
}

ImportedLabel* find_positive(ImportedRow& row, int32_t label) {
  const auto place = place_of(row, label);
  return place != row.positives.end() && place->label == label ? &*place : nullptr;
}

std::string folder_name(const Path& folder) {
  std::error_code error;
  const Path canonical = std::filesystem::canonical(folder, error);
  if (error) fail("{}: cannot look it up: {}", folder.string(), error.message());
  return canonical.filename().string();
}

Path find_tree(const Path& first, const std::vector<std::string>& names, const Path& marker,
               std::string_view expected) {
  std::error_code ignored;
  if (std::filesystem::exists(first / marker, ignored)) return first;
  for (const std::string& name : names) {
    if (std::filesystem::exists(first / name / marker, ignored)) return first / name;
  }
  fail("{}: expected {} with {} in it", first.string(), expected, marker.string());
}

}  // namespace spml
