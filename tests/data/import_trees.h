// Small trees on disk for the importers' tests, and short forms of what they gave.
#pragma once

#include <string>
#include <vector>

#include "base/folders.h"
#include "data/import/import.h"
#include "testing.h"

namespace spml {

inline void put(const Path& path, std::string_view text) {
  make_folder(path.parent_path());
  write_file(path, text);
}

inline std::vector<std::string> names(const std::vector<ImportedRow>& rows) {
  std::vector<std::string> result;
  for (const ImportedRow& row : rows) result.push_back(row.image);
  return result;
}

// Per row the labels, e.g. {{0, 2}, {}}.
inline std::vector<std::vector<int>> labels(const std::vector<ImportedRow>& rows) {
  std::vector<std::vector<int>> result;
  for (const ImportedRow& row : rows) {
    result.emplace_back();
    for (const ImportedLabel& entry : row.positives) result.back().push_back(entry.label);
  }
  return result;
}

using Labels = std::vector<std::vector<int>>;

}  // namespace spml
