// --json: the one JSON object of a verb.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace spml::cli {

using Json = nlohmann::ordered_json;

// Prints to stdout with control characters escaped, since it may be a terminal. NaN and infinity
// become null.
void print_json(const Json& value);
void print_json_text(std::string_view text);  // text that is already JSON

}  // namespace spml::cli
