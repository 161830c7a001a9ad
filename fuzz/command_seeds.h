// What fuzz_commands damages: a sound example of every kind of folder, and the commands that read
// it.
#pragma once

#include <string>
#include <vector>

#include "base/files.h"

namespace spml {

struct Command {
  std::string mutated;  // the part of the seeds that is damaged
  // IN is the folder of (damaged) seeds, OUT one for the result, WEIGHTS a sound network.
  std::vector<std::string> words;
};

const std::vector<Command>& command_list();

// Makes the seeds with the program itself and, for what people download, by hand.
void make_command_seeds(const std::string& program, const Path& folder, const Path& weights);

}  // namespace spml
