// Files that are part of the program; cmake/embed.cmake makes them so.
#pragma once

#include <string_view>

namespace spml {

// By file name, as in "page.css". Empty when the program was built without it.
std::string_view asset(std::string_view name);

}  // namespace spml
