// spml --version [--verbose].
#pragma once

#include <string>

namespace spml::cli {

// One line; verbose adds the processor's instruction sets, build options and modules found.
std::string version_text(bool verbose);

}  // namespace spml::cli
