// Turns the words of the command line into a verb with its values.
#pragma once

#include <string>
#include <vector>

#include "cli/flags/flags.h"

namespace spml::cli {

struct Parsed {
  const Verb* verb = nullptr;  // nullptr: none was named, as in `spml --help`
  std::string path;            // "import voc"
  bool help = false;           // --help was among the words; nothing else was checked
};

// Fills in the targets of the verb the words name. A usage Error for anything wrong; a misspelt
// verb or flag is reported before anything else.
Parsed parse(const std::vector<Verb>& verbs, const std::vector<std::string>& words);

}  // namespace spml::cli
