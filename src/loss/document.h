// The loss table in words.
#pragma once

#include <string>

#include "loss/info.h"

namespace spml {

std::string default_text(const LossParameter& parameter);  // 0.1, or a rule such as 1/(L-1)
std::string range_text(const LossParameter& parameter);    // in [0, 1], or >= 0

// docs/losses.md: every loss with its formula, source, labels and parameters.
std::string losses_markdown();

}  // namespace spml
