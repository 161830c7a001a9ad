#include "base/utf8.h"

namespace spml {

bool is_code_point(char32_t c) { return c < 0xd800 || (c > 0xdfff && c <= 0x10ffff); }

void append_utf8(std::string& text, char32_t c) {
  const auto continuation = [&](int shift) {
    text += static_cast<char>(0x80 | ((c >> shift) & 0x3f));
  };
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += static_cast<char>(0xc0 | (c >> 6));
    continuation(0);
  } else if (c < 0x10000) {
    text += static_cast<char>(0xe0 | (c >> 12));
    continuation(6);
    continuation(0);
  } else {
    text += static_cast<char>(0xf0 | (c >> 18));
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

std::optional<char32_t> take_utf8(std::string_view& text) {
  // The smallest code point that needs a given number of continuation bytes.
  constexpr char32_t kSmallest[] = {0, 0x80, 0x800, 0x10000};
  const auto lead = static_cast<unsigned char>(text.front());
  const size_t more = lead < 0x80 ? 0 : lead < 0xc0 ? 4 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
  bool valid = more != 4 && lead < 0xf8 && text.size() > more;
  char32_t c = more == 0 ? lead : lead & (0x3f >> more);
  for (size_t i = 1; valid && i <= more; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    valid = (next & 0xc0) == 0x80;
    c = (c << 6) | (next & 0x3f);
  }
  valid = valid && c >= kSmallest[more] && is_code_point(c);
  text.remove_prefix(valid ? more + 1 : 1);
  if (!valid) return std::nullopt;
  return c;
}

std::optional<std::u32string> decode_utf8(std::string_view text) {
  std::u32string out;
  while (!text.empty()) {
    const std::optional<char32_t> c = take_utf8(text);
    if (!c) return std::nullopt;
    out += *c;
  }
  return out;
}

}  // namespace spml
