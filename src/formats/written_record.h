// The text of a record for a file that a program reads again.
#pragma once

#include <cmath>
#include <string>

#include "formats/json_fields.h"

namespace spml {

// Error where a number is infinite or NaN, which JSON has no word for.
inline void expect_finite_numbers(const Json& json, const std::string& place = "") {
  if (json.is_number_float() && !std::isfinite(json.get<double>())) {
    fail("'{}': expected a finite number, found {}", place, json.get<double>());
  }
  if (!json.is_structured()) return;
  for (const auto& [key, item] : json.items()) {
    expect_finite_numbers(item, place.empty() ? key : place + "." + key);
  }
}

// Read back before it is given: nothing is written that its reader refuses. `where` names the
// file, in errors.
template <class T>
std::string written_record(const T& record, const std::string& where, int indent = -1) {
  try {
    const Json json = json_value(record);
    expect_finite_numbers(json);
    std::string text = json_text(json, indent);
    parse_record<T>(text, "it");
    return text;
  } catch (const Error& error) {
    fail("{}: cannot be written: {}", where, error.what());
  }
}

}  // namespace spml
