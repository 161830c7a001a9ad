#include "data/import/table_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/fail.h"
#include "base/unicode.h"
#include "formats/csv.h"
#include "formats/lines.h"

namespace spml {
namespace {

// A column of labels by guess, and what its cells so far have in common that names have not.
struct DoubtfulColumn {
  size_t index = 0;
  std::string name;
  bool filled = false;    // not all cells are empty
  bool switches = true;   // only 0, 1, -1, true and false
  bool numbers = true;    // only numbers
  std::string decimal{};  // the first that is not a whole one

  bool holds_scores() const { return numbers && !decimal.empty(); }

  // Where commas do not separate, they may stand for the decimal point.
  void add(std::string_view cell, bool comma_is_point) {
    if (cell.empty()) return;
    filled = true;
    std::string text(cell);
    if (comma_is_point) std::ranges::replace(text, ',', '.');
    double value = 0;
    const bool number = parse_number(text, value) && std::isfinite(value);
    const std::string word = folded(cell);
    switches &=
        word == "true" || word == "false" || (number && (value == 0 || std::abs(value) == 1));
    numbers &= number;
    if (number && decimal.empty() && text.find_first_of(".eE") != text.npos) decimal = cell;
  }
};

// Before the text is taken for CSV, whose complaint about quotes would not say what is wrong.
void refuse_json(std::string_view text, const std::string& where) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos || text[first] != '{') return;
  fail(
      "{}: expected a header such as image,label, found '{{'; JSON Lines are read by spml import "
      "jsonl",
      where);
}

// "sep=;" in the first line is for spreadsheets.
size_t separator_line(std::string_view text, char& separator) {
  if (!text.starts_with("sep=") || text.size() < 5) return 0;
  const size_t end = text.find_first_of("\r\n");
  if (end != 5) return 0;
  separator = text[4];
  return end;
}

void refuse_columns(const std::vector<DoubtfulColumn>& doubtful, size_t label_columns,
                    const std::string& where) {
  for (const DoubtfulColumn& column : doubtful) {
    // In the only column of labels, 0 and 1 are two classes.
    if (column.switches && column.filled && label_columns > 1) {
      fail(
          "{}: expected names of labels in column '{}', found only 0 and 1 (or true and false); "
          "write a row image,label for each label, or call such columns label_1, label_2 if these "
          "are names",
          where, column.name);
    }
    if (column.holds_scores()) {
      fail(
          "{}: expected names of labels in column '{}', found only numbers such as {}; name the "
          "column of the labels with --label-column, then others are ignored",
          where, column.name, column.decimal);
    }
  }
}

std::vector<DoubtfulColumn> doubtful_columns(const TableColumns& columns) {
  std::vector<DoubtfulColumn> doubtful;
  auto name = columns.labels.begin();
  for (size_t i = 0; i < columns.count && name != columns.labels.end(); ++i) {
    if (!columns.is_label[i]) continue;
    if (!is_label_name(*name)) doubtful.push_back({.index = i, .name = *name});
    ++name;
  }
  return doubtful;
}

void read_first_record(CsvReader& reader, const std::string& where, const LayoutOptions& options,
                       TableLayout& layout, std::vector<std::string>& fields) {
  if (!reader.next(fields)) fail("{}: expected a header such as image,label, found nothing", where);
  layout.header = options.header && !names_an_image(fields);
  if (!layout.header) {
    layout.columns = columns_without_header(fields);
    if (options.header) {
      layout.notices.push_back(
          fmt::format("no header: the images are taken from column {}, labels from the others",
                      layout.columns.image + 1));
    }
    return;
  }
  layout.columns = columns_of_header(fields, reader.place(), options.columns);
  if (layout.columns.guessed_image) {
    layout.notices.push_back(fmt::format(
        "the images are taken from the first column, '{}'; --image-column names another",
        trim(fields[0])));
  }
  if (!layout.columns.ignored.empty()) {
    layout.notices.push_back(
        fmt::format("columns ignored: {}", fmt::join(layout.columns.ignored, ", ")));
  }
}

}  // namespace

TableLayout read_table_layout(std::string_view text, const std::string& where,
                              const LayoutOptions& options) {
  refuse_json(text, where);
  TableLayout layout;
  layout.skipped = separator_line(text, layout.separator);
  text.remove_prefix(layout.skipped);
  if (layout.skipped == 0) layout.separator = detect_separator(text);
  CsvReader reader(text, where, layout.separator);
  std::vector<std::string> fields;
  read_first_record(reader, where, options, layout, fields);

  const TableColumns& columns = layout.columns;
  std::vector<DoubtfulColumn> doubtful;
  // Given classes say themselves whether a number is one; so does who names the column.
  if (layout.header && options.classes.empty() && options.columns.labels.empty()) {
    doubtful = doubtful_columns(columns);
  }
  TagCells cells(options.classes);
  for (bool more = !layout.header || reader.next(fields); more; more = reader.next(fields)) {
    // Most columns are cleared by the first record: one word does.
    std::erase_if(doubtful, [&](DoubtfulColumn& column) {
      if (column.index < fields.size()) {
        column.add(trim(fields[column.index]), layout.separator != ',');
      }
      return !column.switches && !column.numbers;
    });
    if (options.tags) {
      if (doubtful.empty()) break;
      continue;
    }
    for (size_t i = 0; i < fields.size(); ++i) {
      if (i < columns.count ? columns.is_label[i] : columns.is_label.back()) cells.add(fields[i]);
    }
  }
  refuse_columns(doubtful, columns.labels.size(), where);
  layout.tags = options.tags ? *options.tags : cells.separators();
  if (const std::string notice = cells.notice(); !notice.empty()) layout.notices.push_back(notice);
  return layout;
}

}  // namespace spml
