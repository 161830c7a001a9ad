// The values given for a verb's flags, on the command line or in a --config file, not yet checked.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/flags/flags.h"

namespace spml::cli {

struct Texts {
  std::string where;  // starts messages: "--lr" or "run.json: 'lr'"
  std::vector<std::string> values;
};

using Given = std::map<const Flag*, Texts>;

// Adds the flags that this flag stands for, unless given explicitly. A usage Error names an unknown
// key with the nearest valid one, and refuses flags that give consent.
void expand(const Verb& verb, const Expansion& expansion, Given& given);

}  // namespace spml::cli
