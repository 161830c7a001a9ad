#include "settings/config_json.h"

#include "base/overload.h"
#include "formats/json.h"
#include "formats/json_object.h"

namespace spml {
namespace {

constexpr const char* kOwnLoss = "own-loss";  // the loss is not of the table

Json value_of(const Setting& setting, const TrainConfig& config) {
  TrainConfig copy = config;  // the table's accessors give references to change
  return std::visit(
      Overload{[&](const Words& words) { return Json(words.text(config)); },
               [&](Get<LossParameters> get) {
                 Json params = Json::object();
                 for (const auto& [name, value] : get(copy)) params[name] = value;
                 return params;
               },
               [&]<class T>(Get<std::optional<T>> get) {
                 const std::optional<T>& value = get(copy);
                 if (value) return Json(*value);
                 return Json(static_cast<T>(setting.by_mode[static_cast<size_t>(config.mode)]));
               },
               [&]<class T>(Get<T> get) { return Json(get(copy)); }},
      setting.access);
}

bool is_number(const Setting& setting) {
  return !std::holds_alternative<Words>(setting.access) &&
         !std::holds_alternative<Get<std::string>>(setting.access) &&
         !std::holds_alternative<Get<bool>>(setting.access);
}

// The value in the words of the flag, which are read and checked in one place.
std::string flag_text(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float() && value == std::floor(value.get<double>()) &&
      std::abs(value.get<double>()) < 1e15) {
    return fmt::format("{:.0f}", value.get<double>());  // 25.0 is a whole number
  }
  return value.dump();
}

void read_setting(const Setting& setting, const nlohmann::json& value, const std::string& place,
                  TrainConfig& config) {
  if (std::holds_alternative<Get<LossParameters>>(setting.access)) {
    constexpr double kMost = std::numeric_limits<double>::max();
    const JsonObject params(value, place);
    for (const auto& [name, number] : params.items()) {
      config.params[name] = JsonObject::number_of(number, params.place(name), -kMost, kMost);
    }
    return;
  }
  const char* expected = std::holds_alternative<Get<bool>>(setting.access) ? "true or false"
                         : is_number(setting)                              ? "a number"
                                                                           : "text";
  const bool ok = *expected == 't' && expected[1] == 'r' ? value.is_boolean()
                  : is_number(setting)                   ? value.is_number()
                                                         : value.is_string();
  if (!ok) fail("{}: expected {}, found {}", place, expected, value.type_name());
  try {
    set(setting, config, flag_text(value), place);
  } catch (const Error& error) {
    fail("{}", error.what());  // of a file, not of the command line
  }
}

}  // namespace

Json to_json(const TrainConfig& config) {
  Json json;
  for (const Setting& setting : all_settings()) {
    if (is_written(setting, config)) json[setting.name] = value_of(setting, config);
  }
  if (config.own_loss) json[kOwnLoss] = true;
  return json;
}

TrainConfig config_from_json(const nlohmann::json& json, const std::string& where) {
  const JsonObject object(json, where);
  TrainConfig config;
  for (const Setting& setting : all_settings()) {
    if (object.has(setting.name)) {
      read_setting(setting, object.at(setting.name), object.place(setting.name), config);
    }
  }
  return config;
}

Json to_json_value(const SettingField<TrainConfig>& field) {
  return value_of(field.setting, field.config);
}

Json to_json_value(const SettingField<std::optional<TrainConfig>>& field) {
  return field.config ? value_of(field.setting, *field.config) : Json();
}

void read_json_value(const Json& json, const std::string& place, SettingField<TrainConfig>& field) {
  read_setting(field.setting, nlohmann::json(json), place, field.config);
}

void read_json_value(const Json& json, const std::string& place,
                     SettingField<std::optional<TrainConfig>>& field) {
  if (json.is_null()) return;
  if (!field.config) field.config.emplace();
  read_setting(field.setting, nlohmann::json(json), place, *field.config);
}

Json to_json_value(const TrainConfig& config) { return to_json(config); }

void read_json_value(const Json& json, const std::string& place, TrainConfig& config) {
  config = config_from_json(nlohmann::json(json), place);
  if (json.value(kOwnLoss, Json()) == true) {
    config.own_loss = recorded_loss(config.loss, json.contains("estimator"));
    return;
  }
  try {
    find_loss(config.loss);
  } catch (const Error& error) {
    fail("{}: 'loss': {}", place, error.what());
  }
}

TrainConfig experiment_settings(const nlohmann::json& json, const std::string& where) {
  std::vector<std::string> names;
  for (const Setting& setting : all_settings()) {
    if (setting.in_experiments) names.emplace_back(setting.name);
  }
  const JsonObject object(json, where);
  object.allow_only(names);
  return config_from_json(json, where);
}

}  // namespace spml
