// Building rows: images by name, labels in order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/import/import.h"

namespace spml {

// What a row and a label of it take, for a MemoryMeter: a vector that grows holds its elements up
// to three times.
constexpr uint64_t kRowBytes = 3 * sizeof(ImportedRow), kLabelBytes = 3 * sizeof(ImportedLabel);

// The entry of `label` in the row, put in its place when it is new.
ImportedLabel& add_positive(ImportedRow& row, int32_t label);

// The entry of `label`, or null when the row has no such positive.
ImportedLabel* find_positive(ImportedRow& row, int32_t label);

// A folder's own name, also when it is given as "." or with a slash at the end.
std::string folder_name(const Path& folder);

// `first` if it holds `marker`, else the first of first/NAME that does; Error with `expected` when
// none does. For archives that unpack into one more folder than users think.
Path find_tree(const Path& first, const std::vector<std::string>& names, const Path& marker,
               std::string_view expected);

}  // namespace spml
