// UTF-8 to and from code points.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spml {

// A Unicode scalar value: at most 0x10ffff and not a surrogate.
bool is_code_point(char32_t c);

void append_utf8(std::string& text, char32_t code_point);  // code_point must be one

// The first code point of a text that is not empty, removed from it; nothing, and one byte removed,
// when it is not valid UTF-8 there.
std::optional<char32_t> take_utf8(std::string_view& text);

// Nothing when the text is not valid UTF-8 (overlong forms and surrogates included).
std::optional<std::u32string> decode_utf8(std::string_view text);

}  // namespace spml
