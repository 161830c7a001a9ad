#include "data/import/table_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/fail.h"
#include "base/text.h"
#include "base/unicode.h"
#include "data/import/images.h"
#include "formats/lines.h"

namespace spml {
namespace {

// In the order in which they are preferred.
constexpr std::array<std::string_view, 15> kImageNames = {
    "image", "filename", "file",    "imagefile", "imagename",  "path",   "filepath",  "imagepath",
    "img",   "photo",    "picture", "photofile", "photograph", "photos", "sourcefile"};
constexpr std::array<std::string_view, 9> kLabelNames = {
    "tag", "tags", "keyword", "keywords", "class", "classes", "category", "categories", "subject"};

// "File name", "file_name" and "FileName" are one.
std::string plain_name(std::string_view field) {
  std::string name = folded(trim(field));
  std::erase_if(name, [](char c) { return c == ' ' || c == '_' || c == '-'; });
  return name;
}

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

// "tag", "tags 2", "class_1".
bool is_label_word(std::string_view plain) {
  const size_t end = plain.find_last_not_of("0123456789");
  return is_one_of(plain.substr(0, end + 1), kLabelNames);
}

bool is_absent_name(std::string_view plain) {
  return plain == "not" ||
         (plain.starts_with("not") && std::isdigit(static_cast<unsigned char>(plain[3])) != 0);
}

size_t chosen_column(const std::vector<std::string>& fields, const std::string& wanted,
                     std::string_view flag, const std::string& place) {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (trim(fields[i]) == trim(wanted)) return i;
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    if (plain_name(fields[i]) == plain_name(wanted)) return i;
  }
  fail("{}: expected a column '{}' for {}, found {}{}", place, wanted, flag,
       fmt::join(fields, ", "), did_you_mean(wanted, fields));
}

class Header {
 public:
  Header(const std::vector<std::string>& fields, const std::string& place)
      : fields_(fields), place_(place) {
    for (const std::string& field : fields) names_.push_back(plain_name(field));
    columns_.count = fields.size();
    columns_.is_label.assign(fields.size(), false);
    columns_.is_absent.assign(fields.size(), false);
  }

  TableColumns read(const ColumnChoice& choice) {
    find_marks();
    find_image(choice);
    bool named_label = !choice.labels.empty();
    for (const std::string& name : choice.labels) {
      columns_.is_label[chosen_column(fields_, name, "--label-column", place_)] = true;
    }
    if (!named_label) named_label = find_labels();
    if (columns_.is_label[columns_.image] || columns_.is_absent[columns_.image]) {
      fail("{}: expected a column 'image' beside '{}', found none; name it with --image-column",
           place_, fields_[columns_.image]);
    }
    assign_others(named_label);
    return std::move(columns_);
  }

 private:
  void find_marks() {
    for (size_t i = 0; i < names_.size(); ++i) {
      columns_.is_absent[i] = is_absent_name(names_[i]);
      if (names_[i] == "split") set_once(columns_.split, i);
      if (names_[i] == "complete") set_once(columns_.complete, i);
    }
  }
  void set_once(std::optional<size_t>& column, size_t i) const {
    if (column) fail("{}: expected one column '{}', found two", place_, names_[i]);
    column = i;
  }
  void find_image(const ColumnChoice& choice) {
    if (!choice.image.empty()) {
      columns_.image = chosen_column(fields_, choice.image, "--image-column", place_);
      return;
    }
    for (const std::string_view wanted : kImageNames) {
      const auto found = std::ranges::find(names_, wanted);
      if (found == names_.end()) continue;
      if (std::find(found + 1, names_.end(), wanted) != names_.end()) {
        fail("{}: expected one column '{}', found two", place_, wanted);
      }
      columns_.image = static_cast<size_t>(found - names_.begin());
      return;
    }
    if (columns_.split == columns_.image || columns_.complete == columns_.image) {
      fail("{}: expected a column 'image', found none", place_);
    }
    columns_.guessed_image = true;
  }
  bool find_labels() {
    bool found = false;
    for (const bool by_label : {true, false}) {
      for (size_t i = 0; i < names_.size(); ++i) {
        const bool label =
            names_[i].starts_with("label") || (!by_label && is_label_word(names_[i]));
        if (label && !columns_.is_absent[i]) found = columns_.is_label[i] = true;
      }
      if (found) break;
    }
    return found;
  }
  void assign_others(bool named_label) {
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (i == columns_.image || i == columns_.split || i == columns_.complete) continue;
      if (columns_.is_absent[i]) continue;
      // Beside the column of the images, another that is called so is none of labels either.
      if (!named_label && !is_one_of(names_[i], kImageNames)) columns_.is_label[i] = true;
      (columns_.is_label[i] ? columns_.labels : columns_.ignored).push_back(fields_[i]);
    }
    if (columns_.labels.empty()) {
      fail("{}: expected a column of labels beside '{}', found none; name it with --label-column",
           place_, fields_[columns_.image]);
    }
  }

  const std::vector<std::string>& fields_;
  const std::string& place_;
  std::vector<std::string> names_;
  TableColumns columns_;
};

}  // namespace

TableColumns columns_of_header(const std::vector<std::string>& fields, const std::string& place,
                               const ColumnChoice& choice) {
  return Header(fields, place).read(choice);
}

TableColumns columns_without_header(const std::vector<std::string>& fields) {
  TableColumns columns;
  columns.count = std::max<size_t>(fields.size(), 2);
  const auto image = std::ranges::find_if(
      fields, [](const std::string& field) { return has_image_extension(trim(field)); });
  if (image != fields.end()) columns.image = static_cast<size_t>(image - fields.begin());
  columns.is_absent.assign(columns.count, false);
  columns.is_label.assign(columns.count, true);
  columns.is_label[columns.image] = false;
  return columns;
}

bool names_an_image(const std::vector<std::string>& fields) {
  return std::ranges::any_of(
      fields, [](const std::string& field) { return has_image_extension(trim(field)); });
}

bool is_label_name(std::string_view name) {
  const std::string plain = plain_name(name);
  const std::string_view stem =
      std::string_view(plain).substr(0, plain.find_last_not_of("0123456789") + 1);
  return stem == "label" || stem == "labels" || is_label_word(plain);
}

}  // namespace spml
