// --json: the one JSON object of a verb.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace spml::cli {

using Json = nlohmann::ordered_json;

// On stdout, where a terminal may be: with what it might obey escaped. NaN and infinity become
// null.
void print_json(const Json& value);
void print_json_text(std::string_view text);  // JSON already

}  // namespace spml::cli
