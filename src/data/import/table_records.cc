#include "data/import/table_records.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

#include "base/fail.h"
#include "base/text.h"
#include "data/import/images.h"
#include "formats/csv.h"
#include "formats/json_parser.h"
#include "formats/lines.h"

namespace spml {
namespace {

struct Columns {
  size_t count = 0;
  size_t image = 0;
  std::optional<size_t> split, complete;
  std::vector<bool> is_absent;  // per column of the header
  std::vector<bool>
      is_label;  // per column of the header; those beyond it are labels if the last is
};

std::string lower(std::string_view text) {
  std::string result(trim(text));
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return result;
}

Columns without_header() {
  Columns columns;
  columns.count = 2;
  columns.is_absent = {false, false};
  columns.is_label = {false, true};
  return columns;
}

bool is_yes(const std::string& text, const std::string& place) {
  const std::string word = lower(text);
  if (word == "yes" || word == "true" || word == "1") return true;
  if (word.empty() || word == "no" || word == "false" || word == "0") return false;
  fail("{}: expected yes or no in the column 'complete', found '{}'", place, text);
}

Columns read_header(const std::vector<std::string>& fields, const std::string& place,
                    CsvColumns& names) {
  if (has_image_extension(std::string(trim(fields[0])))) {
    fail("{}: expected a header such as image,label, found '{}'; add one or pass --no-header",
         place, fields[0]);
  }
  Columns columns;
  columns.count = fields.size();
  columns.is_label.assign(fields.size(), false);
  columns.is_absent.assign(fields.size(), false);
  bool named_image = false, named_label = false;
  for (size_t i = 0; i < fields.size(); ++i) {
    const std::string name = lower(fields[i]);
    if (name == "image") {
      if (named_image) fail("{}: expected one column 'image', found two", place);
      columns.image = i;
      named_image = true;
    } else if (name == "split") {
      if (columns.split) fail("{}: expected one column 'split', found two", place);
      columns.split = i;
    } else if (name == "complete") {
      if (columns.complete) fail("{}: expected one column 'complete', found two", place);
      columns.complete = i;
    } else if (name == "not" || (name.starts_with("not") && std::isdigit(name[3]) != 0)) {
      columns.is_absent[i] = true;
    } else if (name.starts_with("label")) {
      named_label = columns.is_label[i] = true;
    }
  }
  if (columns.split == columns.image) fail("{}: expected a column 'image', found none", place);
  if (columns.is_label[columns.image] || columns.is_absent[columns.image]) {
    fail("{}: expected a column 'image' beside '{}', found none; give the images' column that name",
         place, fields[columns.image]);
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i == columns.image || i == columns.split || i == columns.complete) continue;
    if (columns.is_absent[i]) continue;
    if (!named_label) columns.is_label[i] = true;
    (columns.is_label[i] ? names.labels : names.ignored).push_back(fields[i]);
  }
  const size_t separator = fields.size() == 1 ? fields[0].find_first_of(";\t|") : std::string::npos;
  if (separator != std::string::npos) {
    fail("{}: expected commas between the columns, found {}; write the table with commas", place,
         fields[0][separator] == '\t' ? "tabs" : fmt::format("'{}'", fields[0][separator]));
  }
  if (std::count(columns.is_label.begin(), columns.is_label.end(), true) == 0) {
    fail("{}: expected a column of labels beside '{}', found none", place, fields[columns.image]);
  }
  return columns;
}

std::string column_text(const std::vector<std::string>& fields, size_t column) {
  return column < fields.size() ? std::string(trim(fields[column])) : std::string();
}

// One string, or an array of strings, added to the labels.
void add_json_labels(simdjson::dom::element value, const TableRecord& record,
                     std::vector<std::string>& labels) {
  std::string_view text;
  simdjson::dom::array items;
  if (!value.get(text)) {
    if (!trim(text).empty()) labels.emplace_back(trim(text));
  } else if (!value.get(items)) {
    for (const simdjson::dom::element item : items) {
      if (item.get(text)) fail("{}: expected labels to be strings", record.place);
      if (!trim(text).empty()) labels.emplace_back(trim(text));
    }
  } else {
    fail("{}: expected labels to be a string or an array of strings", record.place);
  }
}

// The same but for case, or but for one letter too many, too few or wrong, or two swapped.
bool is_slip_of(std::string_view key, std::string_view word) {
  if (lower(key) == word) return true;
  while (!key.empty() && !word.empty() && key.front() == word.front()) {
    key.remove_prefix(1);
    word.remove_prefix(1);
  }
  while (!key.empty() && !word.empty() && key.back() == word.back()) {
    key.remove_suffix(1);
    word.remove_suffix(1);
  }
  if (key.size() <= 1 && word.size() <= 1) return true;
  return key.size() == 2 && word.size() == 2 && key[0] == word[1] && key[1] == word[0];
}

// For a row that says nothing of labels. Anything further from `labels` is a key of its own.
void refuse_slips(simdjson::dom::object object, const std::string& place) {
  for (const auto [key, value] : object) {
    for (const std::string_view word : {"label", "labels"}) {
      if (is_slip_of(key, word)) fail("{}: unknown key '{}'; did you mean '{}'?", place, key, word);
    }
  }
}

[[noreturn]] void fail_without_image(simdjson::dom::object object, const std::string& place) {
  const std::vector<std::string> image = {"image"};
  for (const auto [key, value] : object) {
    if (key == "image" || nearest(key, image).empty()) continue;
    fail("{}: unknown key '{}'; did you mean 'image'?", place, key);
  }
  fail("{}: expected \"image\", found none", place);
}

void refuse_zero_byte(const std::string& text, const std::string& place) {
  if (text.find('\0') != std::string::npos) fail("{}: found a zero byte in a text", place);
}

// label, labels, label_1: whoever calls a column so means its cells to be labels.
bool is_label_name(std::string_view name) {
  const std::string word = lower(name);
  const size_t end = word.find_last_not_of("0123456789_- ");
  const std::string_view stem = std::string_view(word).substr(0, end + 1);
  return stem == "label" || stem == "labels";
}

// A column of labels by guess, and what its cells so far have in common that names have not.
struct DoubtfulColumn {
  size_t index = 0;
  std::string name;
  bool filled = false;    // not all cells are empty
  bool switches = true;   // only 0, 1, -1, true and false
  bool numbers = true;    // only numbers
  std::string decimal{};  // the first that is not a whole one

  bool holds_scores() const { return numbers && !decimal.empty(); }

  void add(std::string_view cell) {
    if (cell.empty()) return;
    filled = true;
    double value = 0;
    const bool number = parse_number(cell, value) && std::isfinite(value);
    const std::string word = lower(cell);
    switches &=
        word == "true" || word == "false" || (number && (value == 0 || std::abs(value) == 1));
    numbers &= number;
    if (number && decimal.empty() && cell.find_first_of(".eE") != cell.npos) decimal = cell;
  }
};

// Before the text is taken for CSV, whose complaint about quotes would not say what is wrong.
void refuse_json(std::string_view text, const std::string& where) {
  const size_t first = text.find_first_not_of("\xEF\xBB\xBF \t\r\n");
  if (first == text.npos || text[first] != '{') return;
  fail(
      "{}: expected a header such as image,label, found '{{'; JSON Lines are read by spml import "
      "jsonl",
      where);
}

Columns first_record(CsvReader& reader, const std::string& where, CsvColumns& names) {
  std::vector<std::string> fields;
  if (!reader.next(fields)) fail("{}: expected a header such as image,label, found nothing", where);
  return read_header(fields, reader.place(), names);
}

}  // namespace

void refuse_number_columns(std::string_view text, const std::string& where) {
  refuse_json(text, where);
  CsvReader reader(text, where);
  CsvColumns names;
  const Columns columns = first_record(reader, where, names);
  std::vector<DoubtfulColumn> doubtful;
  auto name = names.labels.begin();
  for (size_t i = 0; i < columns.count; ++i) {
    if (!columns.is_label[i]) continue;
    if (!is_label_name(*name)) doubtful.push_back({.index = i, .name = *name});
    ++name;
  }
  // Most tables are done with after a record: one word clears a column.
  for (std::vector<std::string> fields; !doubtful.empty() && reader.next(fields);) {
    std::erase_if(doubtful, [&](DoubtfulColumn& column) {
      if (column.index < fields.size()) column.add(trim(fields[column.index]));
      return !column.switches && !column.numbers;
    });
  }
  for (const DoubtfulColumn& column : doubtful) {
    // In the only column of labels, 0 and 1 are two classes.
    if (column.switches && column.filled && names.labels.size() > 1) {
      fail(
          "{}: expected names of labels in column '{}', found only 0 and 1 (or true and false); "
          "write a row image,label for each label, or call such columns label_1, label_2 if these "
          "are names",
          where, column.name);
    }
    if (column.holds_scores()) {
      fail(
          "{}: expected names of labels in column '{}', found only numbers such as {}; call the "
          "column of the labels 'label', then others are ignored",
          where, column.name, column.decimal);
    }
  }
}

CsvColumns read_csv_records(std::string_view text, const std::string& where, bool header,
                            const RecordVisitor& visit) {
  if (header) refuse_json(text, where);
  CsvReader reader(text, where);
  CsvColumns names;
  const Columns columns = header ? first_record(reader, where, names) : without_header();
  std::vector<std::string> fields;
  while (reader.next(fields)) {
    TableRecord record;
    record.place = reader.place();
    record.line = reader.line();
    if (fields.size() > columns.count && !columns.is_label.back()) {
      fail("{}: expected {} fields as in the header, found {}; is a comma not quoted?",
           record.place, columns.count, fields.size());
    }
    record.image = column_text(fields, columns.image);
    if (record.image.empty()) fail("{}: expected an image, found an empty field", record.place);
    if (columns.split) {
      record.split = column_text(fields, *columns.split);
      if (record.split.empty()) fail("{}: expected a split, found an empty field", record.place);
    }
    for (size_t i = 0; i < fields.size(); ++i) {
      const bool label = i < columns.count ? columns.is_label[i] : true;
      const bool absent = i < columns.count && columns.is_absent[i];
      if ((!label && !absent) || trim(fields[i]).empty()) continue;
      (label ? record.labels : record.absent).emplace_back(trim(fields[i]));
    }
    if (columns.complete) {
      record.complete = is_yes(column_text(fields, *columns.complete), record.place);
    }
    visit(record);
  }
  return names;
}

void read_json_lines_records(std::string_view text, const std::string& where,
                             const RecordVisitor& visit) {
  JsonParser parser;
  size_t number = 0;
  for (text = checked_text(text, where); !text.empty();) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    ++number;
    if (trim(line).empty()) continue;
    TableRecord record;
    record.place = fmt::format("{}:{}", where, number);
    record.line = number;
    simdjson::dom::object object;
    if (!trim(line).starts_with('{') || parser.parse(line, record.place).get(object)) {
      fail(
          "{}: expected an object such as {{\"image\": \"a.jpg\", \"label\": \"cat\"}}, found "
          "'{}'; CSV is read by spml import csv",
          record.place, trim(line).substr(0, 40));
    }
    bool says_labels = false;
    for (const auto [key, value] : object) {
      std::string_view string;
      says_labels |= key == "label" || key == "labels" || key == "not" || key == "complete";
      if (key == "label" || key == "labels") {
        add_json_labels(value, record, record.labels);
      } else if (key == "not") {
        add_json_labels(value, record, record.absent);
      } else if (key == "complete") {
        if (value.get(record.complete)) {
          fail("{}: expected \"complete\" to be true or false", record.place);
        }
      } else if (key == "image" || key == "split") {
        if (value.get(string)) fail("{}: expected \"{}\" to be a string", record.place, key);
        (key == "image" ? record.image : record.split) = trim(string);
      }
    }
    if (!says_labels) refuse_slips(object, record.place);
    if (record.image.empty()) fail_without_image(object, record.place);
    refuse_zero_byte(record.image, record.place);
    for (const std::string& label : record.labels) refuse_zero_byte(label, record.place);
    for (const std::string& label : record.absent) refuse_zero_byte(label, record.place);
    visit(record);
  }
}

}  // namespace spml
