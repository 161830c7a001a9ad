#include "cli/print_json.h"

#include <fmt/core.h>

namespace spml::cli {

void print_json(const Json& value) {
  // nlohmann writes NaN and infinity as null.
  fmt::print("{}\n", value.dump(2, ' ', false, Json::error_handler_t::replace));
}

}  // namespace spml::cli
