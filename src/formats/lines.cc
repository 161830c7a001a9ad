#include "formats/lines.h"

#include <simdjson.h>

#include <algorithm>

#include "base/fail.h"

namespace spml {
namespace {

constexpr std::string_view kBlank = " \t\r";

}  // namespace

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

std::string_view trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin);
}

std::string_view take_field(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
  const std::string_view field = line.substr(0, line.find_first_of(kBlank));
  line.remove_prefix(field.size());
  return field;
}

std::string_view checked_text(std::string_view bytes, std::string_view where) {
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
    fail("{}: expected UTF-8 text, found UTF-16; convert the file to UTF-8", where);
  }
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  // First, since a hole may be far longer than what is on the disk.
  if (const size_t zero = bytes.find('\0'); zero != std::string_view::npos) {
    fail("{}:{}: found a zero byte in a text", where,
         1 + std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(zero), '\n'));
  }
  if (is_utf8(bytes)) return bytes;
  // No byte of a longer sequence equals "\n", so the first bad line is bad on its own.
  size_t number = 1;
  for (std::string_view rest = bytes;; ++number) {
    const size_t end = rest.find('\n');
    if (!is_utf8(rest.substr(0, end)) || end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  fail("{}:{}: expected UTF-8 text, found other bytes; convert the file to UTF-8", where, number);
}

std::string_view checked_text(const MappedFile& file) {
  const auto bytes = file.bytes();
  return checked_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                      file.path().string());
}

LineReader::LineReader(const Path& path) : file_(path), rest_(checked_text(file_)) {}

bool LineReader::next(std::string_view& line) {
  if (rest_.empty()) return false;
  ++number_;
  const size_t end = std::min(rest_.find('\n'), rest_.size());
  line = rest_.substr(0, end);
  if (end > kMaxLine) {
    fail("{}: expected a line of at most {} bytes, found {}", where(), kMaxLine, end);
  }
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

std::string LineReader::where() const { return fmt::format("{}:{}", path().string(), number_); }

}  // namespace spml
