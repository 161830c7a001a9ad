// The paper's experiments, built into the program by cmake/embed.cmake.
#pragma once

#include <string_view>

namespace spml {

// By file name, as in "table1.json". Empty when there is none.
std::string_view paper_experiment(std::string_view file);

}  // namespace spml
