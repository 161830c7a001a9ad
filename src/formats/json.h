// Reading JSON from strangers.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace spml {

// The value, or an Error that starts with `where` and gives the byte. Nesting is bounded and
// duplicate keys are refused: readers that keep the first and readers that keep the last would
// see different files.
nlohmann::json parse_json(std::string_view text, std::string_view where);

}  // namespace spml
