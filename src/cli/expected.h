// What `train` and `evaluate` print where nobody knows the truth.
#pragma once

#include <string>
#include <vector>

#include "decide/quality.h"

namespace spml::cli {

void print_expected(const ExpectedQuality& expected, const std::vector<std::string>& classes);

}  // namespace spml::cli
