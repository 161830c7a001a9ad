// The values that were given for a verb's flags, on the command line or in a --config file, before
// they are checked.
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

// Adds what the flag stands for, where it was not given. A usage Error names an unknown key with
// the nearest valid one, and refuses flags that give consent.
void expand(const Verb& verb, const Expansion& expansion, Given& given);

}  // namespace spml::cli
