// Tables of images and labels, from CSV or JSON Lines, as one kind of record.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

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

// CSV. With a header, `image` is the column of that name or else the first, `split` the column of
// that name, `complete` says yes or no, columns whose names begin with "not" have labels that are
// absent; labels are the columns whose names begin with "label" or, when there is none, all the
// others. Without a header: the first column is the image, the others are labels. A record may be
// shorter than the header, and longer when its last column is a label. Gives what the header's
// columns were taken for.
struct CsvColumns {
  std::vector<std::string> labels, ignored;  // both empty without a header
};
CsvColumns read_csv_records(std::string_view text, const std::string& where, bool header,
                            const RecordVisitor& visit);

// Error when a column of labels, by its name no more than one by guess, holds only decimals, as
// scores do, or is one of several with only 0 and 1, or true and false, as in tables with a column
// per class. The columns label, labels and label_1 may hold anything. The table has a header.
void refuse_number_columns(std::string_view text, const std::string& where);

// One object per line: {"image": "a.jpg", "label": "cat"} or "labels": ["cat", "dog"], "not"
// likewise, "split", "complete": true.
void read_json_lines_records(std::string_view text, const std::string& where,
                             const RecordVisitor& visit);

}  // namespace spml
