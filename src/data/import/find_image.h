// Finds the file that a table means by a name that is not quite its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/files.h"

namespace spml {

// Another case, accents written otherwise, backslashes, no extension, .jpeg for .jpg, folders in
// front that lead to the root, or no folders where one file below the root has the name.
class ImageFinder {
 public:
  // Lists the images below `root`, links to folders not followed. Error when their names do not fit
  // into memory.
  explicit ImageFinder(const Path& root);

  // The image's name below the root; nothing when there is none or several fit.
  std::optional<std::string> find(std::string_view name) const;

 private:
  using Index = std::unordered_map<std::string, size_t>;
  void add(Index& index, std::string key);
  std::optional<std::string> look_up(const Index& index, const std::string& key) const;

  std::vector<std::string> images_;
  Index paths_, stems_, names_, name_stems_;
};

// The name as ImageFinder compares it, without an image's extension.
std::string image_key(std::string_view name);

}  // namespace spml
