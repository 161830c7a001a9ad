// A JSON object from strangers, read key by key: every value has its type and range checked, and
// every Error says where in the file it stands.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/fail.h"

namespace spml {

class JsonObject {
 public:
  static constexpr size_t kMaxItems = 1000;  // of a list

  // The value must outlive this; `where` names it in messages. Error unless it is an object.
  JsonObject(const nlohmann::json& value, std::string where);

  bool has(const std::string& key) const { return value_.contains(key); }
  const nlohmann::json& at(const std::string& key) const { return value_.at(key); }
  auto items() const { return value_.items(); }
  std::string place(const std::string& key) const { return where_ + ": '" + key + "'"; }

  // Error naming the nearest of these keys for any other.
  void allow_only(const std::vector<std::string>& keys) const;

  // The value under a key, or `otherwise` when the key is not there.
  std::string text(const std::string& key, std::string otherwise) const;
  double number(const std::string& key, double otherwise, double min, double max) const;
  size_t count(const std::string& key, size_t otherwise, size_t min, size_t max) const;
  bool flag(const std::string& key) const;  // false when it is not there

  // read(item, place) of every item; nothing when the key is not there.
  template <class Read>
  auto list(const std::string& key, Read read) const {
    std::vector<decltype(read(value_, where_))> values;
    if (!has(key)) return values;
    check_list(key);
    for (const auto& item : at(key)) {
      values.push_back(read(item, place(key) + "[" + std::to_string(values.size()) + "]"));
    }
    return values;
  }

  // A value on its own.
  static std::string text_of(const nlohmann::json& value, const std::string& place);
  static double number_of(const nlohmann::json& value, const std::string& place, double min,
                          double max);
  static size_t count_of(const nlohmann::json& value, const std::string& place, size_t min,
                         size_t max);  // a whole number

 private:
  void check_list(const std::string& key) const;

  const nlohmann::json& value_;
  std::string where_;
};

}  // namespace spml
