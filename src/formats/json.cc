#include "formats/json.h"

#include <limits>
#include <set>
#include <string>
#include <vector>

#include "base/fail.h"

namespace spml {
namespace {

constexpr int kMaxDepth = 64;  // values are copied and destroyed recursively
constexpr size_t kMaxOrderedKeys = 10'000;
// Each takes up to a hundred bytes: "[]," becomes a list of its own.
constexpr size_t kMaxValues = 4'000'000;

template <class Value>
Value parse(std::string_view text, std::string_view where, size_t max_keys) {
  using Event = typename Value::parse_event_t;
  std::vector<std::set<std::string>> keys;  // of each open object
  size_t values = 0;
  const auto check = [&](int depth, Event event, Value& value) {
    if (depth > kMaxDepth) fail("{}: expected JSON nested at most {} deep", where, kMaxDepth);
    if (event != Event::object_end && event != Event::array_end && ++values > kMaxValues) {
      fail("{}: expected JSON of at most {} values", where, kMaxValues);
    }
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key) {
      const auto [key, is_new] = keys.back().insert(value.template get<std::string>());
      if (!is_new) fail("{}: expected each key once, found '{}' twice", where, key->substr(0, 100));
      if (keys.back().size() > max_keys) {
        fail("{}: expected objects of at most {} keys", where, max_keys);
      }
    }
    return true;
  };
  try {
    return Value::parse(text, check);
  } catch (const nlohmann::json::parse_error& error) {
    fail("{}: expected valid JSON, found an error at byte {}", where, error.byte);
  } catch (const nlohmann::json::exception&) {
    fail("{}: expected valid JSON, found a number out of range", where);
  }
}

}  // namespace

nlohmann::json parse_json(std::string_view text, std::string_view where) {
  return parse<nlohmann::json>(text, where, std::numeric_limits<size_t>::max());
}

Json parse_ordered_json(std::string_view text, std::string_view where) {
  return parse<Json>(text, where, kMaxOrderedKeys);
}

}  // namespace spml
