// --param name=value, as several verbs have it.
#pragma once

#include <string>
#include <vector>

#include "cli/flags/flags.h"

namespace spml::cli {

Flag param_flag(std::vector<std::string>& params);

// Every loss and every role+X, for the shell to offer.
std::vector<std::string> loss_names();

}  // namespace spml::cli
