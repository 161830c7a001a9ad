// Records as JSON. A record lists its keys once,
//
//   template <class Fields>
//   void json_fields(Fields& field, RunResult& result) {
//     field("loss", result.loss);
//     field.maybe("run", result.run);
//   }
//
// and that list both writes and reads it. Members may be numbers, truth values, texts, enumerations
// (with to_string() and from_word()), optionals, vectors, maps, NamedList and other records. What
// is read is untrusted: an Error names the file, the key, what was expected and what was found.
#pragma once

#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/fail.h"
#include "base/files.h"
#include "formats/json.h"
#include "formats/named_list.h"

namespace spml {

template <class T>
Json json_value(const T& value);
template <class T>
void read_json(const Json& json, const std::string& place, T& value);

class FieldWriter {
 public:
  // An empty optional is written as null.
  template <class T>
  void operator()(const char* key, const T& value) {
    json_[key] = json_value(value);
  }
  // Left out when there is nothing to say: an empty optional, text or container, or false.
  template <class T>
  void maybe(const char* key, const T& value) {
    if (!is_nothing(value)) (*this)(key, value);
  }

  Json take() { return std::move(json_); }

 private:
  template <class T>
  static bool is_nothing(const T& value) {
    if constexpr (requires { value.has_value(); }) {
      return !value.has_value();
    } else if constexpr (requires { value.empty(); }) {
      return value.empty();
    } else {
      return value == T{};
    }
  }

  Json json_ = Json::object();
};

inline const Json& to_json_value(const Json& value) { return value; }
template <class T>
Json to_json_value(const std::optional<T>& value);
template <class T>
Json to_json_value(const std::vector<T>& values);
template <class T, class Less>
Json to_json_value(const std::map<std::string, T, Less>& values);
template <class T>
Json to_json_value(const NamedList<T>& values);

template <class T>
Json json_value(const T& value) {
  if constexpr (std::is_arithmetic_v<T> || std::is_convertible_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_enum_v<T>) {
    return std::string(to_string(value));
  } else if constexpr (requires { to_json_value(value); }) {
    return to_json_value(value);
  } else {
    FieldWriter writer;
    json_fields(writer, const_cast<T&>(value));  // one list serves both ways; writing only reads
    return writer.take();
  }
}

template <class T>
Json to_json_value(const std::optional<T>& value) {
  return value ? json_value(*value) : Json();
}

template <class T>
Json to_json_value(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(json_value(value));
  return list;
}

template <class T, class Less>
Json to_json_value(const std::map<std::string, T, Less>& values) {
  Json object = Json::object();
  for (const auto& [name, value] : values) object[name] = json_value(value);
  return object;
}

template <class T>
Json to_json_value(const NamedList<T>& values) {
  Json object = Json::object();
  for (const auto& [name, value] : values) object[name] = json_value(value);
  return object;
}

class FieldReader {
 public:
  // Error unless the value is an object; `where` names it in messages.
  FieldReader(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) fail_type(where_, "an object", object);
  }

  // The key must be there, unless the member is an optional.
  template <class T>
  void operator()(const char* key, T& value) const {
    const auto found = object_.find(key);
    if (found != object_.end()) {
      read_json(*found, place(key), value);
    } else if constexpr (requires { value.has_value(); }) {
      value.reset();
    } else {
      fail("{}: expected '{}', found no such key", where_, key);
    }
  }
  // The member stays as it is when the key is not there.
  template <class T>
  void maybe(const char* key, T& value) const {
    if (object_.contains(key)) (*this)(key, value);
  }

  [[noreturn]] static void fail_type(const std::string& place, const char* expected,
                                     const Json& found);

 private:
  std::string place(const char* key) const { return where_ + ": '" + key + "'"; }

  const Json& object_;
  std::string where_;
};

inline void read_json_value(const Json& json, const std::string&, Json& value) { value = json; }
template <class T>
void read_json_value(const Json& json, const std::string& place, std::optional<T>& value);
template <class T>
void read_json_value(const Json& json, const std::string& place, std::vector<T>& values);
template <class T, class Less>
void read_json_value(const Json& json, const std::string& place,
                     std::map<std::string, T, Less>& values);
template <class T>
void read_json_value(const Json& json, const std::string& place, NamedList<T>& values);
void read_json_value(const Json& json, const std::string& place, std::string& value);
void read_json_value(const Json& json, const std::string& place, bool& value);
void read_json_value(const Json& json, const std::string& place, double& value);
// Within min and max, which are those of the member's type.
int64_t read_whole_number(const Json& json, const std::string& place, int64_t min, int64_t max);
uint64_t read_whole_number(const Json& json, const std::string& place, uint64_t max);

template <class T>
void read_json(const Json& json, const std::string& place, T& value) {
  if constexpr (requires { read_json_value(json, place, value); } && !std::is_integral_v<T>) {
    read_json_value(json, place, value);
  } else if constexpr (std::is_same_v<T, bool>) {
    read_json_value(json, place, value);
  } else if constexpr (std::is_unsigned_v<T>) {
    value = static_cast<T>(read_whole_number(json, place, uint64_t{std::numeric_limits<T>::max()}));
  } else if constexpr (std::is_integral_v<T>) {
    value = static_cast<T>(read_whole_number(json, place, int64_t{std::numeric_limits<T>::min()},
                                             int64_t{std::numeric_limits<T>::max()}));
  } else if constexpr (std::is_enum_v<T>) {
    std::string word;
    read_json_value(json, place, word);
    try {
      from_word(word, value);
    } catch (const Error& error) {
      fail("{}: {}", place, error.what());
    }
  } else {
    FieldReader reader(json, place);
    json_fields(reader, value);
  }
}

template <class T>
void read_json_value(const Json& json, const std::string& place, std::optional<T>& value) {
  value.reset();
  if (!json.is_null()) read_json(json, place, value.emplace());
}

template <class T>
void read_json_value(const Json& json, const std::string& place, std::vector<T>& values) {
  if (!json.is_array()) FieldReader::fail_type(place, "a list", json);
  values.clear();
  for (size_t i = 0; i < json.size(); ++i) {
    read_json(json[i], place + "[" + std::to_string(i) + "]", values.emplace_back());
  }
}

template <class T, class Less>
void read_json_value(const Json& json, const std::string& place,
                     std::map<std::string, T, Less>& values) {
  if (!json.is_object()) FieldReader::fail_type(place, "an object", json);
  values.clear();
  for (const auto& [name, item] : json.items()) read_json(item, place + "." + name, values[name]);
}

template <class T>
void read_json_value(const Json& json, const std::string& place, NamedList<T>& values) {
  if (!json.is_object()) FieldReader::fail_type(place, "an object", json);
  values = {};
  for (const auto& [name, item] : json.items()) read_json(item, place + "." + name, values[name]);
}

// The record in a text; `where` names it in messages.
template <class T>
T parse_record(std::string_view text, const std::string& where) {
  T record;
  read_json(parse_ordered_json(text, where), where, record);
  return record;
}

constexpr size_t kMaxRecordBytes = size_t{1} << 28;

template <class T>
T read_record(const Path& file) {
  return parse_record<T>(read_file(file, kMaxRecordBytes), file.string());
}

// A file with a record in each line.
template <class T>
std::vector<T> read_record_lines(const Path& file) {
  std::vector<T> records;
  const std::string text = read_file(file, kMaxRecordBytes);
  size_t number = 1;
  for (size_t begin = 0; begin < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (!line.empty())
      records.push_back(parse_record<T>(line, file.string() + ":" + std::to_string(number)));
    begin = end + 1;
  }
  return records;
}

// NaN and infinity become null, bytes that are not UTF-8 the replacement character.
std::string json_text(const Json& json, int indent = -1);

template <class T>
std::string record_text(const T& record, int indent = -1) {
  return json_text(json_value(record), indent);
}

}  // namespace spml
