// What writes that were cut short leave: NAME.tmp-<16 hexadecimal digits>, see AtomicFile.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/path.h"

namespace spml {

// The name of the file that was being written; nothing for any other file.
std::optional<std::string> leftover_of(const Path& entry);

// Removes what is left of files that is_ours() knows by their names. For whoever holds the lock of
// the folder: nobody else is writing them.
void remove_leftovers(const Path& folder, const std::function<bool(std::string_view)>& is_ours);

}  // namespace spml
