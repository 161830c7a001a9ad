// From the words of the command line to a verb with its values.
#pragma once

#include <string>
#include <vector>

#include "cli/flags/flags.h"

namespace spml::cli {

struct Parsed {
  const Verb* verb = nullptr;  // nullptr: none was named, as in `spml --help`
  std::string path;            // "import voc"
  bool help = false;           // --help was among the words: nothing else was looked at
};

// Fills in the targets of the verb that the words name. A usage Error for anything wrong; a
// misspelt verb or flag is named before anything else is complained about.
Parsed parse(const std::vector<Verb>& verbs, const std::vector<std::string>& words);

}  // namespace spml::cli
