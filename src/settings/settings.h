// Every setting of a training run, declared once. The flags of `train` and `sweep`, --config files,
// presets, the "settings" of experiments, config.json, the names of a sweep's runs and
// docs/reference.md follow from this table.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/complete.h"
#include "base/number.h"
#include "settings/config.h"

namespace spml {

// Where a setting is kept in the configuration.
template <class T>
using Get = T& (*)(TrainConfig&);

// A setting that is written as words: how it is read and written.
struct Words {
  std::string (*text)(const TrainConfig&);  // "" stands for: not given
  void (*set)(TrainConfig&, std::string_view);
  void (*copy)(const TrainConfig& from, TrainConfig& to);
};

using Access =
    std::variant<Get<double>, Get<int>, Get<uint32_t>, Get<uint64_t>, Get<bool>, Get<std::string>,
                 Get<std::optional<double>>, Get<std::optional<int>>, Get<LossParameters>, Words>;

// Whether a setting stands in config.json, and so in the name of a sweep's run. A setting that is
// new leaves the names of older runs as they are when it is written unless it has its default.
enum class Written {
  kUnlessDefault,
  kAlways,
  kWithNeed,  // wherever its need is met
  kNever
};

// Under what circumstances a setting has an effect.
struct SettingNeed {
  bool (*met)(const TrainConfig&) = nullptr;  // nullptr: always
  const char* text = "";                      // "--estimator factored"
};

enum class SettingGroup { kMain, kEstimates, kImages };

struct Setting {
  const char* name;  // of the flag and of the key
  Access access;
  const char* help;
  const char* hint = "";               // of the value; "": from the type
  Range range = {};                    // of numbers
  std::vector<std::string> choices{};  // of words
  const char* default_text = "";       // where TrainConfig's own default does not say it
  const char* sweep_default = "";      // another default in a sweep
  std::span<const double> by_mode{};   // the default in each Mode
  int axis = 0;  // a sweep takes lists of it and nests them in this order; 0: one value
  SettingNeed need{};
  Written written = Written::kUnlessDefault;
  bool is_flag = true;
  bool searched = false;   // the search chooses it: not given with one
  bool validates = true;   // runs that differ in it have another validation, which compares less
  bool of_phase = false;   // linear-init: not taken over by the linear phase
  const char* said = "";   // of a value that is not the default, in words: "weight decay {}"
  bool in_result = false;  // stands in result.json
  int in_trial = 0;        // its place in a line of search.jsonl; 0: none
  bool in_experiments = false;  // may stand in the "settings" of an experiment
  SettingGroup group = SettingGroup::kMain;
  Complete complete = Complete::kNothing;
};

// In the order of config.json. The others: those of result.json, and of search.jsonl in its order.
std::span<const Setting> all_settings();
std::vector<const Setting*> result_settings();
std::vector<const Setting*> trial_settings();
const Setting& find_setting(std::string_view name);  // it must exist

// A usage Error that starts with `where` unless the text is a legal value.
void set(const Setting& setting, TrainConfig& config, const std::string& text,
         const std::string& where);

// Gives `to` the value that `from` has.
void copy_setting(const Setting& setting, const TrainConfig& from, TrainConfig& to);

// The value as a flag takes it; "" when there is none.
std::string text_of(const Setting& setting, const TrainConfig& config);

// Whether it has a value of its own, and not just its default.
bool is_set(const Setting& setting, const TrainConfig& config);

// Its key in records, and its name in Python: val_fraction.
std::string record_key(const Setting& setting);

// What stands for the value in help: "N", "K", "a|b|c".
std::string value_hint(const Setting& setting);

// In words; "" when there is none.
std::string default_text(const Setting& setting);

// Whether config.json has it.
bool is_written(const Setting& setting, const TrainConfig& config);

}  // namespace spml
