// Modules that the program loads on demand: parts of it with heavy dependencies, each a shared
// library of its own.
#pragma once

#include <optional>
#include <string>

#include "base/files.h"

namespace spml {

struct ModuleFile {
  const char* file;       // "libspml_torch.so"
  const char* symbol;     // the function that gives the module's table
  const char* what_for;   // "training on a card and --backbone need it"
  const char* what_next;  // how to get it
};

// Beside the program, as in a build folder, or where it is installed.
std::optional<Path> find_module(const ModuleFile& module);

// The table, once it is known to be of this version and this build: it must begin with both. Never
// unloaded: its objects and exceptions may live as long as the process. Error when there is none.
const void* load_module(const ModuleFile& module);

}  // namespace spml
