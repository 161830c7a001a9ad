// Lists with commas between their items, as flags and dataset.json have them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace spml {

// At least one item; an empty one for each comma that has nothing beside it.
inline std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> items;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    items.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

}  // namespace spml
