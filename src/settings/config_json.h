// The configuration of a run as JSON, in the words of the flags: what stands under "config" in
// config.json. The keys are those of the table of settings.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "settings/settings.h"

namespace spml {

// Every value resolved. Two runs with the same JSON on the same data give the same bytes; a sweep
// names its runs after it.
nlohmann::ordered_json to_json(const TrainConfig& config);

// The reverse of to_json; keys that are no settings are left to the caller. Error with the place
// for a value of the wrong type or outside its range.
TrainConfig config_from_json(const nlohmann::json& json, const std::string& where);

// The "settings" of an experiment: an Error names the nearest key for any other.
TrainConfig experiment_settings(const nlohmann::json& json, const std::string& where);

// A setting as a field of another record. Where the record may lack a configuration, the field may
// be missing or null.
template <class Config>
struct SettingField {
  const Setting& setting;
  Config& config;

  bool has_value() const requires(!std::is_same_v<Config, TrainConfig>) {
    return config.has_value();
  }
  void reset() requires(!std::is_same_v<Config, TrainConfig>) {}
};
nlohmann::ordered_json to_json_value(const SettingField<TrainConfig>& field);
nlohmann::ordered_json to_json_value(const SettingField<std::optional<TrainConfig>>& field);
void read_json_value(const nlohmann::ordered_json& json, const std::string& place,
                     SettingField<TrainConfig>& field);
void read_json_value(const nlohmann::ordered_json& json, const std::string& place,
                     SettingField<std::optional<TrainConfig>>& field);

// The fields of these settings.
template <class Fields, class Config>
void json_fields_of(Fields& field, const std::vector<const Setting*>& settings, Config& config) {
  for (const Setting* setting : settings) {
    SettingField<Config> value{*setting, config};
    field(record_key(*setting).c_str(), value);
  }
}

// The same two for formats/json_fields.h. What is read is the configuration of a run, which has a
// loss.
nlohmann::ordered_json to_json_value(const TrainConfig& config);
void read_json_value(const nlohmann::ordered_json& json, const std::string& place,
                     TrainConfig& config);

}  // namespace spml
