// --param name=value, shared by several verbs.
#pragma once

#include <string>
#include <vector>

#include "cli/flags/flags.h"

namespace spml::cli {

Flag param_flag(std::vector<std::string>& params);

// Every loss and every role+X, for shell completion.
std::vector<std::string> loss_names();

}  // namespace spml::cli
