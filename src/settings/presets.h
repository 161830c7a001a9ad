// Named recipes: flags of `spml train` that were found to go well together, with the evidence.
#pragma once

#include <span>
#include <string_view>

namespace spml {

struct Preset {
  std::string_view name;
  std::string_view summary;   // one line
  std::string_view evidence;  // what was measured
  std::string_view flags;     // JSON, as in a --config file
};

std::span<const Preset> all_presets();

// Error naming the nearest when there is none of that name.
const Preset& find_preset(std::string_view name);

}  // namespace spml
