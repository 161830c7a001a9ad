#include "formats/json.h"

#include <set>
#include <string>
#include <vector>

#include "base/fail.h"

namespace spml {
namespace {

constexpr int kMaxDepth = 64;  // values are copied and destroyed recursively

}  // namespace

nlohmann::json parse_json(std::string_view text, std::string_view where) {
  using Event = nlohmann::json::parse_event_t;
  std::vector<std::set<std::string>> keys;  // of each open object
  const auto check = [&](int depth, Event event, nlohmann::json& value) {
    if (depth > kMaxDepth) fail("{}: expected JSON nested at most {} deep", where, kMaxDepth);
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key) {
      const auto [key, is_new] = keys.back().insert(value.get<std::string>());
      if (!is_new) fail("{}: expected each key once, found '{}' twice", where, *key);
    }
    return true;
  };
  try {
    return nlohmann::json::parse(text, check);
  } catch (const nlohmann::json::parse_error& error) {
    fail("{}: expected valid JSON, found an error at byte {}", where, error.byte);
  } catch (const nlohmann::json::exception&) {
    fail("{}: expected valid JSON, found a number out of range", where);
  }
}

}  // namespace spml
