// Reading the configuration of a run from JSON, in the words of the flags.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "experiment/config.h"

namespace spml {

// The reverse of to_json; keys that are no settings are left to the caller. Error with the place
// for a value of the wrong type or outside its range.
TrainConfig config_from_json(const nlohmann::json& json, const std::string& where);

// The "settings" of an experiment: an Error names the nearest key for any other.
TrainConfig experiment_settings(const nlohmann::json& json, const std::string& where);

}  // namespace spml
