// Renaming and merging the tags of a data folder. Images and features stay as they are.
#pragma once

#include <string>
#include <vector>

#include "base/files.h"

namespace spml {

struct TagCounts {
  std::vector<std::string> names;   // L
  std::vector<size_t> train, test;  // L: rows that are known to have the tag
};
TagCounts count_tags(const Path& folder);

// Gives the tags one name, which may be new, one of theirs or another tag's, whose rows then count,
// too. A row has the tag that results when it has one of them, and is known not to have it when it
// is known to have none. With one tag and a new name this is renaming. The files of the folder
// change together; Error for a tag that is not there.
void merge_tags(const Path& folder, const std::vector<std::string>& tags, const std::string& into);

}  // namespace spml
