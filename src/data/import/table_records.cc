#include "data/import/table_records.h"

#include <algorithm>
#include <cctype>
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
                    std::vector<std::string>& ignored) {
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
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i == columns.image || i == columns.split || i == columns.complete) continue;
    if (columns.is_label[i] || columns.is_absent[i]) continue;
    if (named_label) ignored.push_back(fields[i]);
    columns.is_label[i] = !named_label;
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

// A key that is nearly one that is missing was meant to be it.
void refuse_misspelt(simdjson::dom::object object, const std::vector<std::string>& missing,
                     const std::string& place) {
  constexpr std::string_view kKnown[] = {"image", "label", "labels", "not", "complete", "split"};
  for (const auto [key, value] : object) {
    if (std::ranges::find(kKnown, key) != std::end(kKnown)) continue;
    const std::string near = nearest(key, missing);
    if (!near.empty()) fail("{}: unknown key '{}'; did you mean '{}'?", place, key, near);
  }
}

void refuse_zero_byte(const std::string& text, const std::string& place) {
  if (text.find('\0') != std::string::npos) fail("{}: found a zero byte in a text", place);
}

}  // namespace

std::vector<std::string> read_csv_records(std::string_view text, const std::string& where,
                                          bool header, const RecordVisitor& visit) {
  CsvReader reader(text, where);
  std::vector<std::string> fields, ignored;
  Columns columns = without_header();
  if (header) {
    if (!reader.next(fields))
      fail("{}: expected a header such as image,label, found nothing", where);
    columns = read_header(fields, reader.place(), ignored);
  }
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
  return ignored;
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
    if (parser.parse(line, record.place).get(object)) {
      fail("{}: expected an object such as {{\"image\": \"a.jpg\", \"label\": \"cat\"}}",
           record.place);
    }
    bool has_labels = false;
    for (const auto [key, value] : object) {
      std::string_view string;
      if (key == "label" || key == "labels") {
        has_labels = true;
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
    if (!has_labels) refuse_misspelt(object, {"label", "labels"}, record.place);
    if (record.image.empty()) {
      refuse_misspelt(object, {"image"}, record.place);
      fail("{}: expected \"image\", found none", record.place);
    }
    refuse_zero_byte(record.image, record.place);
    for (const std::string& label : record.labels) refuse_zero_byte(label, record.place);
    for (const std::string& label : record.absent) refuse_zero_byte(label, record.place);
    visit(record);
  }
}

}  // namespace spml
