// Small helpers for messages.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace spml {

// The candidate with the smallest edit distance to `word`, or "" when none is near.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

// "; did you mean 'x'?" or "" when no candidate is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

// "a, b or c"
std::string either(std::span<const std::string> words);

// The text on one line, for people: what a terminal might obey or be misled by becomes '?'. Names
// from files may hold control characters (also U+0080 to U+009F), bytes that are no UTF-8, line
// separators and marks that turn the direction of writing.
std::string printable(std::string_view text);
std::string printable_lines(std::string_view text);  // the same for several lines
// The same for JSON, where such a character can be written as an escape: it says what it said.
std::string printable_json(std::string_view json);

}  // namespace spml
