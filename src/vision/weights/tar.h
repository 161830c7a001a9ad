// Files of a .tar.gz archive, in memory.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/files.h"

namespace spml {

// Regular files whose names start with `prefix`, by name. Error when the archive is damaged or
// unpacks to more than `max_bytes`.
std::map<std::string, std::string> read_tar_gz(const Path& path, std::string_view prefix,
                                               size_t max_bytes);

}  // namespace spml
