#include "data/import/table_records.h"

#include <algorithm>
#include <cctype>

#include "base/fail.h"
#include "base/text.h"
#include "data/import/tag_cells.h"
#include "data/tag_names.h"
#include "formats/csv.h"
#include "formats/json_parser.h"
#include "formats/lines.h"

namespace spml {
namespace {

std::string lower(std::string_view text) {
  std::string result(trim(text));
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return result;
}

bool is_yes(const std::string& text, const std::string& place) {
  const std::string word = lower(text);
  if (word == "yes" || word == "true" || word == "1") return true;
  if (word.empty() || word == "no" || word == "false" || word == "0") return false;
  fail("{}: expected yes or no in the column 'complete', found '{}'", place, text);
}

std::string column_text(const std::vector<std::string>& fields, size_t column) {
  return column < fields.size() ? std::string(trim(fields[column])) : std::string();
}

// A row of separators only, as spreadsheets write below a table.
bool is_blank(const std::vector<std::string>& fields) {
  return std::ranges::all_of(fields, [](const std::string& field) { return trim(field).empty(); });
}

void add_tags(std::string_view cell, const TagSeparators& separators,
              std::vector<std::string>& tags) {
  for_each_tag(cell, separators, [&](std::string_view tag) {
    if (!tidy_tag(tag).empty()) tags.emplace_back(tag);
  });
}

// One string, or an array of strings, added to the labels.
void add_json_labels(simdjson::dom::element value, const TableRecord& record,
                     const TagSeparators& separators, std::vector<std::string>& labels) {
  std::string_view text;
  simdjson::dom::array items;
  if (!value.get(text)) {
    add_tags(text, separators, labels);
  } else if (!value.get(items)) {
    for (const simdjson::dom::element item : items) {
      if (item.get(text)) fail("{}: expected labels to be strings", record.place);
      add_tags(text, {}, labels);
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

}  // namespace

void read_csv_records(std::string_view text, const std::string& where, const TableLayout& layout,
                      const RecordVisitor& visit) {
  const TableColumns& columns = layout.columns;
  CsvReader reader(text.substr(layout.skipped), where, layout.separator);
  std::vector<std::string> fields;
  if (layout.header) reader.next(fields);
  while (reader.next(fields)) {
    TableRecord record;
    record.place = reader.place();
    record.line = reader.line();
    if (fields.size() > columns.count && !columns.is_label.back()) {
      fail("{}: expected {} fields as in the header, found {}; is a field with '{}' not quoted?",
           record.place, columns.count, fields.size(), layout.separator);
    }
    record.image = column_text(fields, columns.image);
    if (record.image.empty()) {
      if (is_blank(fields)) continue;
      fail("{}: expected an image, found an empty field", record.place);
    }
    if (columns.split) {
      record.split = column_text(fields, *columns.split);
      if (record.split.empty()) fail("{}: expected a split, found an empty field", record.place);
    }
    for (size_t i = 0; i < fields.size(); ++i) {
      const bool label = i < columns.count ? columns.is_label[i] : true;
      const bool absent = i < columns.count && columns.is_absent[i];
      if (label || absent) add_tags(fields[i], layout.tags, label ? record.labels : record.absent);
    }
    if (columns.complete) {
      record.complete = is_yes(column_text(fields, *columns.complete), record.place);
    }
    visit(record);
  }
}

void read_json_lines_records(std::string_view text, const std::string& where,
                             const TagSeparators& tags, const RecordVisitor& visit) {
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
        add_json_labels(value, record, tags, record.labels);
      } else if (key == "not") {
        add_json_labels(value, record, tags, record.absent);
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
