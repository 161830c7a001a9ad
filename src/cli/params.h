// --param name=value, as several verbs have it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "spml/loss.h"

namespace spml::cli {

void add_params(CLI::App& verb, std::vector<std::string>& params);

// "eps=0.2" -> {"eps", 0.2}. The value is a number, or L: the number of labels. Usage error for
// anything else and for a name given twice.
LossParameters parse_params(const std::vector<std::string>& params, size_t labels);

}  // namespace spml::cli
