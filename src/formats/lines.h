// Text files of one record per line: mapped, checked to be UTF-8, byte-order mark skipped, lines
// ended by "\n" or "\r\n".
#pragma once

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/files.h"

namespace spml {

bool is_utf8(std::string_view text);

std::string_view trim(std::string_view text);  // spaces, tabs and carriage returns

// The next field of `line` between spaces or tabs, removed from it; "" when there is none left.
std::string_view take_field(std::string_view& line);

// The whole of `text` as a number; false when it is anything else.
template <class T>
bool parse_number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// Text of one file or buffer, without its byte-order mark; Error for UTF-16 and naming the line of
// the first byte that is zero, as in the hole of a file, or not UTF-8.
std::string_view checked_text(std::string_view bytes, std::string_view where);
std::string_view checked_text(const MappedFile& file);

class LineReader {
 public:
  static constexpr size_t kMaxLine = size_t{64} << 10;  // longer ones are an Error

  explicit LineReader(const Path& path);

  bool next(std::string_view& line);  // false at the end; the line is valid while the reader lives
  size_t number() const { return number_; }  // of the line read last, from 1
  std::string where() const;                 // "FILE:LINE"
  const Path& path() const { return file_.path(); }

 private:
  MappedFile file_;
  std::string_view rest_;
  size_t number_ = 0;
};

}  // namespace spml
