#include "formats/table_text.h"

#include <iconv.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/fail.h"
#include "base/memory_budget.h"
#include "base/text.h"
#include "formats/lines.h"

namespace spml {
namespace {

void refuse_spreadsheet(std::string_view bytes, std::string_view where) {
  const bool zip = bytes.starts_with("PK\x03\x04");            // .xlsx, .ods, .numbers
  const bool old = bytes.starts_with("\xD0\xCF\x11\xE0\xA1");  // .xls
  if (!zip && !old) return;
  fail(
      "{}: expected a table as text, found a spreadsheet; save it as \"CSV UTF-8\" and import that",
      where);
}

struct CloseIconv {
  void operator()(void* converter) const { ::iconv_close(converter); }
};

// Nothing when the bytes are not in this encoding.
std::optional<std::string> converted(std::string_view bytes, const char* encoding,
                                     std::string_view where) {
  iconv_t opened = ::iconv_open("UTF-8", encoding);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): how iconv_open says no
  if (opened == reinterpret_cast<iconv_t>(-1)) {
    fail("{}: expected UTF-8 text, found {}, which this machine cannot convert; save it as UTF-8",
         where, encoding);
  }
  const std::unique_ptr<void, CloseIconv> converter(opened);
  const uint64_t room =
      saturating_product(bytes.size(), 3);  // a character of two bytes takes three
  MemoryBudget().require(room, fmt::format("{}: its text in UTF-8", where));
  std::string text(room, '\0');
  char* in = const_cast<char*>(bytes.data());  // iconv reads it only
  char* out = text.data();
  size_t left = bytes.size(), room_left = text.size();
  if (::iconv(converter.get(), &in, &left, &out, &room_left) == static_cast<size_t>(-1)) return {};
  text.resize(text.size() - room_left);
  return text;
}

// The word around the first byte that is not ASCII, by which people see whether it was read right.
std::string first_word(std::string_view text) {
  const auto beyond =
      std::find_if(text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; });
  const auto at = static_cast<size_t>(beyond - text.begin());
  constexpr std::string_view kEnds = " \t\r\n,;|\"/\\";
  const size_t before = text.substr(0, at).find_last_of(kEnds);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return printable(text.substr(begin, std::min(text.find_first_of(kEnds, at), text.size()) - begin)
                       .substr(0, 60));
}

}  // namespace

TableText::TableText(std::string_view bytes, std::string_view where) {
  refuse_spreadsheet(bytes, where);
  const bool little = bytes.starts_with("\xFF\xFE"), big = bytes.starts_with("\xFE\xFF");
  if (little || big) {
    auto text = converted(bytes.substr(2), little ? "UTF-16LE" : "UTF-16BE", where);
    if (!text) fail("{}: expected text, found broken UTF-16; save it as UTF-8", where);
    converted_ = std::move(*text);
  } else if (bytes.find('\0') != std::string_view::npos || is_utf8(bytes)) {
    text_ = checked_text(bytes, where);
    return;
  } else {
    auto text = converted(bytes, "WINDOWS-1252", where);
    text_ = text ? std::string_view() : checked_text(bytes, where);  // which fails
    converted_ = std::move(*text);
    notice_ = fmt::format(
        "{}: not UTF-8, read as Windows-1252, as in '{}'; if that looks wrong, save the table as "
        "\"CSV UTF-8\"",
        where, first_word(converted_));
  }
  text_ = converted_;
}

}  // namespace spml
