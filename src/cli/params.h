// --param name=value, as several verbs have it.
#pragma once

#include <string>
#include <vector>

#include "cli/flags.h"
#include "spml/loss.h"

namespace spml::cli {

Flag param_flag(std::vector<std::string>& params);

// Every loss and every role+X, for the shell to offer.
std::vector<std::string> loss_names();

// "eps=0.2" -> {"eps", 0.2}. The value is a number, or L: the number of labels. Usage error for
// anything else and for a name given twice.
LossParameters parse_params(const std::vector<std::string>& params, size_t labels);

}  // namespace spml::cli
