// Numbers as users write them, and the ranges they have to be in.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace spml {

struct Range {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool above_min = false;  // min itself is outside

  bool contains(double value) const {
    return value <= max && (above_min ? value > min : value >= min);
  }
};

inline constexpr Range kPositive{0, std::numeric_limits<double>::infinity(), true};
inline constexpr Range kAtLeastZero{0};
inline constexpr Range kAtLeastOne{1};

// What the range admits: "1 to 1024", "above 0", "at least 1"; "" when that is everything.
std::string to_string(const Range& range);

// "a whole number from 1 to 1024"
std::string expected_number(const Range& range, bool whole);

// The usage Error of number_in.
[[noreturn]] void refuse_number(const std::string& text, const Range& range, bool whole,
                                const std::string& where);

// The whole text as a finite number of the type, or nothing.
template <class T>
std::optional<T> parse_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  T value{};
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end || text.empty()) return std::nullopt;
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(value)) return std::nullopt;
  }
  return value;
}

// The same, in the range; a usage Error that starts with `where` for anything else.
template <class T>
T number_in(const std::string& text, Range range, const std::string& where) {
  const auto value = parse_number<T>(text);
  if (value && range.contains(static_cast<double>(*value))) return *value;
  if constexpr (std::is_integral_v<T>) {
    // A type's own limits are worth saying only where they are the reason.
    constexpr auto kLargest = static_cast<double>(std::numeric_limits<T>::max());
    if (!value && text.find_first_not_of("0123456789") == std::string::npos && !text.empty()) {
      range.max = std::min(range.max, kLargest);
    }
    if (std::is_unsigned_v<T>) range.min = std::max(range.min, 0.0);
  }
  refuse_number(text, range, std::is_integral_v<T>, where);
}

}  // namespace spml
