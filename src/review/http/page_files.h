// The page's files, which are part of the program; cmake/embed.cmake makes them so.
#pragma once

#include <string_view>

namespace spml {

// By file name, as in "index.html". Empty when the program was built without it.
std::string_view page_file(std::string_view name);

}  // namespace spml
