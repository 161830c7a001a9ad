// Shell completion, generated from the declarations of the verbs. The scripts are self-contained:
// pressing Tab does not start the program.
#pragma once

#include <string>
#include <vector>

#include "cli/flags/flags.h"

namespace spml::cli {

std::string bash_completion(const std::vector<Verb>& verbs);
std::string zsh_completion(const std::vector<Verb>& verbs);
std::string fish_completion(const std::vector<Verb>& verbs);

}  // namespace spml::cli
