#include "base/leftovers.h"

#include <filesystem>

#include "base/folders.h"

namespace spml {

std::optional<std::string> leftover_of(const Path& entry) {
  constexpr std::string_view kTemporary = ".tmp-";
  constexpr size_t kDigits = 16;
  const std::string whole = entry.filename().string();
  const size_t end = whole.rfind(kTemporary);
  if (end == whole.npos || whole.size() - end - kTemporary.size() != kDigits ||
      whole.find_first_not_of("0123456789abcdef", end + kTemporary.size()) != whole.npos) {
    return std::nullopt;
  }
  std::error_code ignored;  // what cannot be looked at is no file
  if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(entry, ignored))) {
    return std::nullopt;
  }
  return whole.substr(0, end);
}

void remove_leftovers(const Path& folder, const std::function<bool(std::string_view)>& is_ours) {
  for (const Path& entry : list_folder(folder)) {
    const auto name = leftover_of(entry);
    if (name && is_ours(*name)) remove_file(entry);
  }
}

}  // namespace spml
