#include "base/number.h"

#include "base/fail.h"

namespace spml {

std::string to_string(const Range& range) {
  const bool low = std::isfinite(range.min), high = std::isfinite(range.max);
  if (low && high) {
    return fmt::format("{}{:.10g} to {:.10g}", range.above_min ? "above " : "", range.min,
                       range.max);
  }
  if (low) return fmt::format("{} {:.10g}", range.above_min ? "above" : "at least", range.min);
  return high ? fmt::format("at most {:.10g}", range.max) : "";
}

std::string expected_number(const Range& range, bool whole) {
  std::string kind = whole ? "a whole number" : "a number";
  const std::string text = to_string(range);
  if (text.empty()) return kind;
  const bool interval = std::isfinite(range.min) && std::isfinite(range.max) && !range.above_min;
  return kind + (interval ? " from " : " ") + text;
}

void refuse_number(const std::string& text, const Range& range, bool whole,
                   const std::string& where) {
  fail_usage("{}: expected {}, found '{}'", where, expected_number(range, whole), text);
}

}  // namespace spml
