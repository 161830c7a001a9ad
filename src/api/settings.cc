// include/spml/settings.h
#include "settings/settings.h"

#include "base/fail.h"
#include "base/text.h"

namespace spml {
namespace {

bool is_public(const Setting& setting) {
  return setting.is_flag && setting.group != SettingGroup::kImages &&
         setting.name != std::string_view("loss") && setting.name != std::string_view("mode");
}

const Setting& public_setting(std::string_view name) {
  std::vector<std::string> names;
  for (const Setting& setting : all_settings()) {
    if (!is_public(setting)) continue;
    if (record_key(setting) == name) return setting;
    names.push_back(record_key(setting));
  }
  fail_usage("unknown setting '{}'{}", name, did_you_mean(name, names));
}

}  // namespace

std::vector<SettingDescription> train_settings() {
  std::vector<SettingDescription> list;
  for (const Setting& setting : all_settings()) {
    if (!is_public(setting)) continue;
    SettingDescription description{record_key(setting), setting.help, default_text(setting),
                                   setting.choices, setting.searched};
    list.push_back(std::move(description));
  }
  return list;
}

void set(TrainSettings& settings, std::string_view name, const std::string& value) {
  TrainConfig config;
  static_cast<TrainSettings&>(config) = settings;
  set(public_setting(name), config, value, std::string(name));
  settings = config;
}

}  // namespace spml
