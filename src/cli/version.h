// spml --version [--verbose].
#pragma once

#include <string>

namespace spml::cli {

// One line; verbose also what the processor can, what the program was built with and what it finds.
std::string version_text(bool verbose);

}  // namespace spml::cli
