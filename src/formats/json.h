// Reading JSON from strangers.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace spml {

using Json = nlohmann::ordered_json;  // keys stay in their order

// The value, or an Error that starts with `where` and gives the byte. Nesting and the number of
// values, which take far more memory than text, are bounded, and duplicate keys are refused:
// readers that keep the first and readers that keep the last would see different files.
nlohmann::json parse_json(std::string_view text, std::string_view where);

// The same with the keys in the file's order. An object may have at most 10,000 of them, because
// looking one up takes time in proportion.
Json parse_ordered_json(std::string_view text, std::string_view where);

}  // namespace spml
