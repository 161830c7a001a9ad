#include "formats/json.h"

#include <limits>
#include <set>
#include <string>
#include <vector>

#include "base/fail.h"

namespace spml {
namespace {

constexpr size_t kMaxDepth = 64;  // values are copied and destroyed recursively
constexpr size_t kMaxOrderedKeys = 10'000;
// Each takes up to a hundred bytes: "[]," becomes a list of its own.
constexpr size_t kMaxValues = 4'000'000;

// Looks at every value before any of them is kept. (A callback of nlohmann's parser would do, but
// that walks along all values of the parent at the end of each object.)
class Limits : public nlohmann::json_sax<nlohmann::json> {
 public:
  Limits(std::string_view where, size_t max_keys) : where_(where), max_keys_(max_keys) {}

  bool null() override { return count(); }
  bool boolean(bool) override { return count(); }
  bool number_integer(number_integer_t) override { return count(); }
  bool number_unsigned(number_unsigned_t) override { return count(); }
  bool number_float(number_float_t, const string_t&) override { return count(); }
  bool string(string_t&) override { return count(); }
  bool binary(binary_t&) override { return count(); }

  bool start_object(size_t) override {
    count();
    keys_.emplace_back();
    return true;
  }
  bool key(string_t& key) override {
    count();
    const auto [place, is_new] = keys_.back().insert(key);
    if (!is_new) fail("{}: expected each key once, found '{}' twice", where_, key.substr(0, 100));
    if (keys_.back().size() > max_keys_) {
      fail("{}: expected objects of at most {} keys", where_, max_keys_);
    }
    return true;
  }
  bool start_array(size_t) override { return start_object(0); }
  bool end_object() override { return end_array(); }
  bool end_array() override {
    keys_.pop_back();
    return true;
  }

  bool parse_error(size_t byte, const std::string&,
                   const nlohmann::json::exception& error) override {
    if (dynamic_cast<const nlohmann::json::parse_error*>(&error) != nullptr) {
      fail("{}: expected valid JSON, found an error at byte {}", where_, byte);
    }
    fail("{}: expected valid JSON, found a number out of range", where_);
  }

 private:
  bool count() {
    if (keys_.size() > kMaxDepth) {
      fail("{}: expected JSON nested at most {} deep", where_, kMaxDepth);
    }
    if (++values_ > kMaxValues) fail("{}: expected JSON of at most {} values", where_, kMaxValues);
    return true;
  }

  std::string_view where_;
  size_t max_keys_;
  std::vector<std::set<std::string>> keys_;  // of each open object; none of an array
  size_t values_ = 0;
};

template <class Value>
Value parse(std::string_view text, std::string_view where, size_t max_keys) {
  Limits limits(where, max_keys);
  nlohmann::json::sax_parse(text, &limits);
  return Value::parse(text);
}

}  // namespace

nlohmann::json parse_json(std::string_view text, std::string_view where) {
  return parse<nlohmann::json>(text, where, std::numeric_limits<size_t>::max());
}

Json parse_ordered_json(std::string_view text, std::string_view where) {
  return parse<Json>(text, where, kMaxOrderedKeys);
}

}  // namespace spml
