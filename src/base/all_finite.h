// Whether every number of a list is one: neither infinite nor NaN.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace spml {

inline bool all_finite(std::span<const float> values) {
  return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

}  // namespace spml
