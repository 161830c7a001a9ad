// --json: the one JSON object of a verb.
#pragma once

#include <nlohmann/json.hpp>

namespace spml::cli {

using Json = nlohmann::ordered_json;

// On stdout. NaN and infinity become null.
void print_json(const Json& value);

}  // namespace spml::cli
