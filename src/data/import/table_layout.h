// How a table in CSV is written, found by looking at all of it before it is read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/import/table_columns.h"
#include "data/import/tag_cells.h"

namespace spml {

struct LayoutOptions {
  bool header = true;  // the first record names the columns, unless it names an image
  ColumnChoice columns = {};
  std::optional<TagSeparators> tags = {};  // else found
  std::vector<std::string> classes = {};   // names that may be numbers and are never divided
};

struct TableLayout {
  size_t skipped = 0;  // bytes of a first line "sep=;", which spreadsheets write
  char separator = ',';
  bool header = true;
  TableColumns columns;
  TagSeparators tags;
  std::vector<std::string> notices;  // each after "FILE: "
};

// Error when there is nothing, when a header does not say where images and labels are, and when a
// column of labels, by its name no more than one by guess, holds only decimals, as scores do, or is
// one of several with only 0 and 1, or true and false, as in tables with a column per class. The
// columns label, tags and class_1 may hold anything.
TableLayout read_table_layout(std::string_view text, const std::string& where,
                              const LayoutOptions& options);

}  // namespace spml
