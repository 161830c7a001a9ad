// Which columns of a table hold the images, the labels and what else is known of a row.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spml {

// Columns that the user names; "" and none: found by their names.
struct ColumnChoice {
  std::string image = {};
  std::vector<std::string> labels = {};
};

struct TableColumns {
  size_t count = 0;
  size_t image = 0;
  bool guessed_image = false;  // the first column, whose name says nothing
  std::optional<size_t> split, complete;
  std::vector<bool> is_absent;  // per column
  std::vector<bool> is_label;   // per column; those beyond the last are labels if it is
  std::vector<std::string> labels, ignored;  // names in a header
};

// By a header. The images are in the column called image, file, filename, path, photo or the like,
// else in the first; labels are in the columns whose names begin with label, or are tag, keyword,
// class, category or their plurals, else in all the others. `place` begins messages.
TableColumns columns_of_header(const std::vector<std::string>& fields, const std::string& place,
                               const ColumnChoice& choice);

// By the first record of a table that has no header: the images are in the first column that has
// the name of one, else in the first, labels in the others.
TableColumns columns_without_header(const std::vector<std::string>& fields);

// Whether the record names an image, so that it is no header.
bool names_an_image(const std::vector<std::string>& fields);

// A column by whose name its cells are labels, whatever they look like: label_1, tags, class.
bool is_label_name(std::string_view name);

}  // namespace spml
