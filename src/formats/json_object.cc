#include "formats/json_object.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"

namespace spml {
namespace {

std::string shortened(const nlohmann::json& value) {
  return value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 40);
}

}  // namespace

JsonObject::JsonObject(const nlohmann::json& value, std::string where)
    : value_(value), where_(std::move(where)) {
  if (!value.is_object()) fail("{}: expected a JSON object, found {}", where_, value.type_name());
}

void JsonObject::allow_only(const std::vector<std::string>& keys) const {
  for (const auto& [key, value] : value_.items()) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      fail("{}: unknown key '{}'{}", where_, key, did_you_mean(key, keys));
    }
  }
}

std::string JsonObject::text(const std::string& key, std::string otherwise) const {
  return has(key) ? text_of(at(key), place(key)) : std::move(otherwise);
}

double JsonObject::number(const std::string& key, double otherwise, double min, double max) const {
  return has(key) ? number_of(at(key), place(key), min, max) : otherwise;
}

size_t JsonObject::count(const std::string& key, size_t otherwise, size_t min, size_t max) const {
  return has(key) ? count_of(at(key), place(key), min, max) : otherwise;
}

bool JsonObject::flag(const std::string& key) const {
  if (!has(key)) return false;
  if (!at(key).is_boolean()) {
    fail("{}: expected true or false, found {}", place(key), shortened(at(key)));
  }
  return at(key).get<bool>();
}

void JsonObject::check_list(const std::string& key) const {
  if (!at(key).is_array() || at(key).empty() || at(key).size() > kMaxItems) {
    fail("{}: expected a list of 1 to {} items", place(key), kMaxItems);
  }
}

std::string JsonObject::text_of(const nlohmann::json& value, const std::string& place) {
  if (!value.is_string()) fail("{}: expected text, found {}", place, shortened(value));
  auto text = value.get<std::string>();
  if (text.find('\0') != std::string::npos) fail("{}: expected no zero byte", place);
  return text;
}

double JsonObject::number_of(const nlohmann::json& value, const std::string& place, double min,
                             double max) {
  if (!value.is_number() || !(value.get<double>() >= min && value.get<double>() <= max)) {
    fail("{}: expected a number from {} to {}, found {}", place, min, max, shortened(value));
  }
  return value.get<double>();
}

size_t JsonObject::count_of(const nlohmann::json& value, const std::string& place, size_t min,
                            size_t max) {
  const double number = number_of(value, place, static_cast<double>(min), static_cast<double>(max));
  if (number != std::floor(number)) {
    fail("{}: expected a whole number, found {}", place, shortened(value));
  }
  return static_cast<size_t>(number);
}

}  // namespace spml
