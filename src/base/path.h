// A path of the file system.
#pragma once

#include <filesystem>

namespace spml {

using Path = std::filesystem::path;

}  // namespace spml
