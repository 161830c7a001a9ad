#include "formats/json_fields.h"

namespace spml {
namespace {

constexpr size_t kMaxShown = 40;  // characters of a value in a message

}  // namespace

void FieldReader::fail_type(const std::string& place, const char* expected, const Json& found) {
  const bool large = found.is_structured() && !found.empty();
  fail("{}: expected {}, found {}", place, expected,
       large ? found.type_name() : json_text(found).substr(0, kMaxShown));
}

void read_json_value(const Json& json, const std::string& place, std::string& value) {
  if (!json.is_string()) FieldReader::fail_type(place, "text", json);
  value = json.get<std::string>();
  if (value.find('\0') != std::string::npos) fail("{}: expected no zero byte", place);
}

void read_json_value(const Json& json, const std::string& place, bool& value) {
  if (!json.is_boolean()) FieldReader::fail_type(place, "true or false", json);
  value = json.get<bool>();
}

void read_json_value(const Json& json, const std::string& place, double& value) {
  if (!json.is_number()) FieldReader::fail_type(place, "a number", json);
  value = json.get<double>();
}

int64_t read_whole_number(const Json& json, const std::string& place, int64_t min, int64_t max) {
  const bool fits = json.is_number_integer() &&
                    (!json.is_number_unsigned() || json.get<uint64_t>() <= uint64_t(max)) &&
                    json.get<int64_t>() >= min && json.get<int64_t>() <= max;
  if (!fits) FieldReader::fail_type(place, "a whole number", json);
  return json.get<int64_t>();
}

uint64_t read_whole_number(const Json& json, const std::string& place, uint64_t max) {
  if (!json.is_number_unsigned() || json.get<uint64_t>() > max) {
    FieldReader::fail_type(place, "a whole number from 0", json);
  }
  return json.get<uint64_t>();
}

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace spml
