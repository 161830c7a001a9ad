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

// The text on one line: control characters, which names from files may hold, become '?'.
std::string printable(std::string text);

}  // namespace spml
