#include "cli/train_flags.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/flags/common_flags.h"
#include "cli/images.h"
#include "cli/params.h"
#include "search/auto.h"
#include "settings/presets.h"
#include "settings/settings.h"

namespace spml::cli {
namespace {

const char* title(SettingGroup group) {
  switch (group) {
    case SettingGroup::kEstimates:
      return "Label estimates, of the losses that have them (role, role+X)";
    case SettingGroup::kImages:
      return "Training the network (--mode finetune and linear-init)";
    case SettingGroup::kMain:
      break;
  }
  return "";
}

// The group's title says what all of its settings need.
std::string need_text(const Setting& setting) {
  const std::string text = setting.need.text;
  const bool in_title =
      setting.group == SettingGroup::kImages && text.find("finetune") != text.npos;
  return in_title ? "" : text;
}

Flag flag_of(const Setting& setting, TrainFlags& flags, bool lists) {
  Flag flag;
  flag.name = setting.name;
  flag.help = setting.help;
  flag.group = title(setting.group);
  flag.requirement = need_text(setting);
  if (std::holds_alternative<Get<bool>>(setting.access)) {
    flag.target = &flags.switches[setting.name];
    return flag;
  }
  flag.target = &flags.values.settings[setting.name];
  flag.hint = value_hint(setting);
  flag.range = setting.range;
  flag.choices = setting.choices;
  flag.default_text =
      lists && *setting.sweep_default != '\0' ? setting.sweep_default : default_text(setting);
  flag.complete = setting.complete;
  flag.commas = flag.several = lists && setting.axis > 0;
  flag.once = !flag.commas;
  flag.check = [&setting](const std::string& text, const std::string& where) {
    TrainConfig scratch;
    set(setting, scratch, text, where);
  };
  return flag;
}

Flag preset_flag(std::string& name) {
  Flag flag{.name = "preset", .target = &name, .help = "", .hint = "NAME"};
  std::vector<std::string> summaries;
  for (const Preset& preset : all_presets()) {
    flag.offers.emplace_back(preset.name);
    summaries.push_back(fmt::format("{} ({})", preset.name, preset.summary));
  }
  flag.help = fmt::format("A recipe; flags given beside it win: {}", fmt::join(summaries, "; "));
  flag.expands = [](const std::string& text) {
    return Expansion{std::string(find_preset(text).flags), text};
  };
  return flag;
}

}  // namespace

GridValues TrainFlags::given() const {
  GridValues values_given;
  values_given.params = values.params;
  for (const auto& [name, texts] : values.settings) {
    if (!texts.empty()) values_given.settings[name] = texts;
  }
  for (const auto& [name, on] : switches) {
    if (on) values_given.settings[name] = {*on ? "true" : "false"};
  }
  return values_given;
}

bool TrainFlags::is_auto() const {
  const auto& loss = values.settings.at("loss");
  return loss.empty() || loss.front() == kAutoLoss;
}

bool TrainFlags::is_linear() const { return common_settings(given()).mode == Mode::kLinear; }

bool TrainFlags::needs_features() const {
  const TrainConfig config = common_settings(given());
  return config.mode == Mode::kLinear ||
         (config.mode == Mode::kLinearInit && config.image.init.empty());
}

void add_train_flags(Verb& verb, TrainFlags& flags, bool lists) {
  verb.positionals = {data_folder(flags.data)};
  for (const Setting& setting : all_settings()) {
    const std::string name = setting.name;
    if (!setting.is_flag) continue;
    if (name == "param") {
      verb.flags.push_back(param_flag(flags.values.params));
      continue;
    }
    Flag flag = flag_of(setting, flags, lists);
    if (name == "loss") {
      flag.offers = loss_names();
      flag.required = lists;
      if (!lists) flag.default_text = kAutoLoss;
    }
    if (name == "seed" && lists) {
      flag.name = "seeds";
      flag.also = "seed";
    }
    verb.flags.push_back(std::move(flag));
    if (name == "loss") verb.flags.push_back(preset_flag(flags.preset));
  }
}

std::vector<TrainConfig> expand(const TrainFlags& flags, size_t labels) {
  std::vector<TrainConfig> grid = make_grid(flags.given(), labels);
  if (grid.front().mode == Mode::kLinear) return grid;
  ImageConfig image = grid.front().image;  // the same in all of them
  complete_weights(image);
  for (TrainConfig& config : grid) config.image = image;
  return grid;
}

void check(const TrainFlags& flags) { make_grid(flags.given(), 1); }

}  // namespace spml::cli
