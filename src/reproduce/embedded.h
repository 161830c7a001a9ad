// The paper's experiments, which are part of the program; cmake/embed.cmake makes them so.
#pragma once

#include <string_view>

namespace spml {

// By file name, as in "table1.json". Empty when there is none.
std::string_view paper_experiment(std::string_view file);

}  // namespace spml
