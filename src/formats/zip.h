// Zip archives whose entries are stored, not compressed, as PyTorch writes them; 64-bit records
// included.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace spml {

using ZipEntries = std::map<std::string, std::span<const std::byte>, std::less<>>;

// Name and contents of every file in the archive, checked to lie within `bytes`; `where` names the
// archive in errors.
ZipEntries parse_zip(std::span<const std::byte> bytes, std::string_view where);

}  // namespace spml
