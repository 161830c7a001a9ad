#include "cli/print_json.h"

#include <fmt/core.h>

#include "base/text.h"

namespace spml::cli {

void print_json(const Json& value) {
  // nlohmann writes NaN and infinity as null.
  print_json_text(value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

void print_json_text(std::string_view text) { fmt::print("{}", printable_json(text)); }

}  // namespace spml::cli
