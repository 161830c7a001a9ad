#include "cli/flags/given.h"

#include "base/fail.h"
#include "base/text.h"
#include "formats/json.h"

namespace spml::cli {
namespace {

// Lists are written as on the command line: 1,2,3.
std::string value_text(const nlohmann::json& value) {
  if (!value.is_array()) return value.is_string() ? value.get<std::string>() : value.dump();
  std::string text;
  for (const auto& item : value) text += (text.empty() ? "" : ",") + value_text(item);
  return text;
}

// No texts means that the flag is not given: {"json": false}. A switch that is on by default counts
// as given when it is turned off.
std::vector<std::string> texts_of(const Flag& flag, const nlohmann::json& value,
                                  const std::string& where) {
  if (is_switch(flag)) {
    if (!value.is_boolean())
      fail_usage("{}: expected true or false, found {}", where, value.dump());
    if (value.get<bool>()) return {"true"};
    const bool counts_off = std::get<Switch>(flag.target).if_given != nullptr;
    return counts_off ? std::vector<std::string>{"false"} : std::vector<std::string>{};
  }
  std::vector<std::string> texts;
  if (value.is_null() || value.is_boolean()) {
    fail_usage("{}: expected a value, found {}", where, value.dump());
  } else if (value.is_array()) {
    for (const auto& item : value) texts.push_back(value_text(item));
  } else if (value.is_object()) {  // {"param": {"eps": 0.2}} is --param eps=0.2
    for (const auto& [name, item] : value.items()) texts.push_back(name + "=" + value_text(item));
  } else {
    texts.push_back(value_text(value));
  }
  return texts;
}

nlohmann::json parse_object(const Expansion& expansion) {
  try {
    nlohmann::json object = parse_json(expansion.json, expansion.source);
    if (object.is_object()) return object;
  } catch (const Error& error) {
    fail_usage("{}", error.what());
  }
  fail_usage("{}: expected a JSON object with the flags of the verb as keys", expansion.source);
}

}  // namespace

void expand(const Verb& verb, const Expansion& expansion, Given& given) {
  const nlohmann::json object = parse_object(expansion);
  for (const auto& [key, value] : object.items()) {
    const Flag* flag = find_flag(verb, key);
    if (key == "config" || key == "help") {
      fail_usage("{}: '{}' counts on the command line only", expansion.source, key);
    }
    if (flag == nullptr) {
      const std::string near = nearest("--" + key, flag_names(verb));
      fail_usage("{}: unknown key '{}'{}", expansion.source, key,
                 near.empty() ? "" : fmt::format("; did you mean '{}'?", near.substr(2)));
    }
    if (flag->consent) {
      fail_usage("{}: '{}' cannot be set in a file; give --{} on the command line",
                 expansion.source, key, key);
    }
    if (given.contains(flag)) continue;
    Texts texts{fmt::format("{}: '{}'", expansion.source, key), {}};
    texts.values = texts_of(*flag, value, texts.where);
    if (!texts.values.empty()) given[flag] = std::move(texts);
  }
}

}  // namespace spml::cli
