// Tables of images and labels, from CSV or JSON Lines, as one kind of record.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "data/import/table_layout.h"

namespace spml {

struct TableRecord {
  std::string image;
  std::vector<std::string> labels;  // none is empty
  std::vector<std::string> absent;  // labels that the image is known not to have
  bool complete = false;            // what is not listed is absent
  std::string split;                // "" when the table has no such column
  std::string place;                // "FILE:LINE"
  size_t line = 0;
};

using RecordVisitor = std::function<void(const TableRecord&)>;

// CSV, as it was found to be written. A record may be shorter than the header, and longer when its
// last column is a label.
void read_csv_records(std::string_view text, const std::string& where, const TableLayout& layout,
                      const RecordVisitor& visit);

// One object per line: {"image": "a.jpg", "label": "cat"} or "labels": ["cat", "dog"], "not"
// likewise, "split", "complete": true. Strings, not the elements of arrays, are divided at `tags`.
void read_json_lines_records(std::string_view text, const std::string& where,
                             const TagSeparators& tags, const RecordVisitor& visit);

}  // namespace spml
