// Files built into the program by cmake/embed.cmake.
#pragma once

#include <string_view>

namespace spml {

// By file name, as in "page.css". Empty when the program was built without it.
std::string_view asset(std::string_view name);

}  // namespace spml
