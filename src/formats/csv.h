// Tables with a comma or another character between their fields, as RFC 4180 describes them: quoted
// fields may hold that character, doubled quotes and line breaks; records end with "\n", "\r\n" or
// "\r".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spml {

// Reads one record after another from a text that must outlive it. Every Error names file and line.
class CsvReader {
 public:
  static constexpr size_t kMaxFieldBytes = size_t{1} << 20;
  static constexpr size_t kMaxColumns = 65536;

  // `where` names the text in messages. Where tabs separate, a quote inside a field is a letter
  // like others, as databases write it; elsewhere it is an Error.
  CsvReader(std::string_view text, std::string where, char separator = ',');

  // The next record that is not a blank line; false at the end.
  bool next(std::vector<std::string>& fields);
  size_t line() const { return record_line_; }  // where the last record begins, from 1
  std::string place() const;                    // "FILE:LINE"

 private:
  void read_field(std::string& field);
  void read_quoted(std::string& field);
  bool at_record_end() const;
  void skip_line_break();
  [[noreturn]] void fail_here(std::string_view what) const;

  std::string_view text_;
  std::string where_;
  char separator_;
  size_t position_ = 0;
  size_t line_ = 1;
  size_t record_line_ = 0;
};

// The character between the fields: comma, semicolon, tab or bar, by the first records.
char detect_separator(std::string_view text);

// A text as a field of a record: in quotes where it needs them. A spreadsheet takes a field that
// begins with =, +, -, @, a tab or a line break for a formula and computes it: such a text gets an
// apostrophe in front, which spreadsheets show as "this is text".
std::string csv_field(const std::string& text);

}  // namespace spml
