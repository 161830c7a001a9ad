// Flags shared by several verbs.
#pragma once

#include <string>

#include "cli/flags/flags.h"

namespace spml::cli {

// --threads, for verbs that use threads.
Flag threads_flag(Common& common);

// The positional arguments DIR and RUN.
Flag data_folder(std::string& folder);
Flag run_folder(std::string& folder);

}  // namespace spml::cli
