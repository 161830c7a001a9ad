#include "formats/csv.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/fail.h"
#include "formats/lines.h"

namespace spml {

CsvReader::CsvReader(std::string_view text, std::string where, char separator)
    : text_(checked_text(text, where)), where_(std::move(where)), separator_(separator) {}

std::string CsvReader::place() const { return fmt::format("{}:{}", where_, record_line_); }

void CsvReader::fail_here(std::string_view what) const { fail("{}:{}: {}", where_, line_, what); }

bool CsvReader::at_record_end() const {
  return position_ == text_.size() || text_[position_] == '\n' || text_[position_] == '\r';
}

void CsvReader::skip_line_break() {
  if (position_ == text_.size()) return;
  if (text_.substr(position_).starts_with("\r\n")) ++position_;
  ++position_;
  ++line_;
}

bool CsvReader::next(std::vector<std::string>& fields) {
  while (position_ < text_.size() && at_record_end()) skip_line_break();
  if (position_ == text_.size()) return false;
  record_line_ = line_;
  for (size_t count = 0;; ++count) {
    if (count == kMaxColumns) fail_here(fmt::format("expected at most {} columns", kMaxColumns));
    if (count == fields.size()) fields.emplace_back();
    fields[count].clear();
    read_field(fields[count]);
    if (at_record_end()) {
      fields.resize(count + 1);
      skip_line_break();
      return true;
    }
    ++position_;  // the separator
  }
}

void CsvReader::read_field(std::string& field) {
  if (position_ < text_.size() && text_[position_] == '"') {
    read_quoted(field);
    if (!at_record_end() && text_[position_] != separator_) {
      fail_here(fmt::format("expected {} or the end of the line after a closing quote",
                            separator_ == ',' ? "a comma" : "the separator"));
    }
    return;
  }
  const std::array<char, 5> ends = {separator_, '\r', '\n', '\0', '"'};
  const std::string_view stops(ends.data(), separator_ == '\t' ? 4 : 5);
  const size_t end = std::min(text_.find_first_of(stops, position_), text_.size());
  if (end < text_.size() && text_[end] == '"') {
    fail_here("found a quote inside an unquoted field; quote the whole field and double the quote");
  }
  if (end < text_.size() && text_[end] == '\0') fail_here("found a zero byte in a text");
  if (end - position_ > kMaxFieldBytes) {
    fail_here(fmt::format("expected a field of at most {} bytes", kMaxFieldBytes));
  }
  field.assign(text_.substr(position_, end - position_));
  position_ = end;
}

void CsvReader::read_quoted(std::string& field) {
  const size_t opened = line_;
  for (++position_;; ++position_) {
    if (position_ == text_.size()) {
      fail("{}:{}: the quote opened here is never closed", where_, opened);
    }
    const char c = text_[position_];
    if (c == '"') {
      ++position_;
      if (position_ == text_.size() || text_[position_] != '"') return;
    }
    if (c == '\0') fail_here("found a zero byte in a text");
    if (c == '\n' || (c == '\r' && !text_.substr(position_).starts_with("\r\n"))) ++line_;
    if (field.size() == kMaxFieldBytes) {
      fail("{}:{}: expected a field of at most {} bytes; is a closing quote missing?", where_,
           opened, kMaxFieldBytes);
    }
    field.push_back(c);
  }
}

std::string csv_field(const std::string& name) {
  const bool formula =
      !name.empty() && std::string_view("=+-@\t\r\n").find(name[0]) != std::string_view::npos;
  std::string text = formula ? "'" + name : name;
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace spml
