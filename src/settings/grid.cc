#include "settings/grid.h"

#include <algorithm>
#include <charconv>

#include "base/fail.h"
#include "base/memory_budget.h"
#include "base/text.h"
#include "settings/settings.h"

namespace spml {
namespace {

using ParameterAxes = std::map<std::string, std::vector<double>>;

double parse_value(const std::string& param, std::string_view text, size_t labels) {
  if (text == "L") return static_cast<double>(labels);
  const auto value = parse_number<double>(text);
  if (!value) {
    fail_usage("--param {}: expected a number or L (the number of labels) after '=', found '{}'",
               param, text);
  }
  return *value;
}

// "eps=0.1,0.2" -> eps and two values.
ParameterAxes parameter_axes(const std::vector<std::string>& params, size_t labels) {
  ParameterAxes axes;
  for (const std::string& text : params) {
    const size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      fail_usage("--param {}: expected name=value", text);
    }
    const std::string name = text.substr(0, equals);
    if (axes.contains(name)) fail_usage("--param {} is given twice", name);
    const std::string_view rest = std::string_view(text).substr(equals + 1);
    for (size_t begin = 0; begin <= rest.size();) {
      const size_t end = std::min(rest.find(',', begin), rest.size());
      axes[name].push_back(parse_value(text, rest.substr(begin, end - begin), labels));
      begin = end + 1;
    }
  }
  return axes;
}

bool has_parameter(const std::string& loss, std::string_view name) {
  const auto& params = find_loss(loss).params;
  return std::any_of(params.begin(), params.end(),
                     [&](const LossParameter& p) { return p.name == name; });
}

void check_parameters_are_known(const std::vector<TrainConfig>& configs,
                                const ParameterAxes& axes) {
  std::vector<std::string> known;
  for (const TrainConfig& config : configs) {
    for (const LossParameter& p : find_loss(config.loss).params) known.emplace_back(p.name);
  }
  for (const auto& [name, values] : axes) {
    if (std::ranges::find(known, name) == known.end()) {
      fail_usage("--param {}: no loss given here has it{}; `spml losses` lists the parameters",
                 name, did_you_mean(name, known));
    }
  }
}

// Replaces each configuration that `applies` by one for every value.
template <class Values, class Applies, class Set>
void multiply(std::vector<TrainConfig>& configs, const Values& values, Applies applies, Set set) {
  const uint64_t runs = saturating_product(configs.size(), values.size());
  if (runs > kMaxRuns) fail_usage("expected at most {} runs, found {} or more", kMaxRuns, runs);
  std::vector<TrainConfig> longer;
  for (TrainConfig& config : configs) {
    if (!applies(config)) {
      longer.push_back(std::move(config));
      continue;
    }
    for (const auto& value : values) {
      longer.push_back(config);
      set(longer.back(), value);
    }
  }
  configs = std::move(longer);
}

bool applies(const Setting& setting, const TrainConfig& config) {
  return setting.need.met == nullptr || setting.need.met(config);
}

std::string flag_of(const Setting& setting) { return "--" + std::string(setting.name); }

// A value that nothing here can use is a mistake, unless it is what config.json has anyway.
void check_need(const Setting& setting, const std::vector<std::string>& values,
                const std::vector<TrainConfig>& configs) {
  const auto met = [&](const TrainConfig& config) { return applies(setting, config); };
  const bool harmless =
      setting.written == Written::kAlways && values == std::vector{text_of(setting, TrainConfig())};
  if (!harmless && std::ranges::none_of(configs, met)) {
    fail_usage("{} requires {}", flag_of(setting), setting.need.text);
  }
}

void check_together(const TrainConfig& config) {
  if (config.mode != Mode::kLinear && config.estimator.kind != EstimatorKind::kTable) {
    fail_usage("--estimator {} requires --mode linear, found --mode {}",
               to_string(config.estimator.kind), to_string(config.mode));
  }
  if (config.image.accumulate > config.batch) {
    fail_usage("--accumulate {}: must not exceed the batch size, {}", config.image.accumulate,
               config.batch);
  }
}

std::vector<const Setting*> axes_in_order() {
  std::vector<const Setting*> axes;
  for (const Setting& setting : all_settings()) {
    if (setting.axis > 0) axes.push_back(&setting);
  }
  std::ranges::sort(axes, {}, &Setting::axis);
  return axes;
}

}  // namespace

TrainConfig common_settings(const GridValues& values) {
  TrainConfig config;
  for (const auto& [name, texts] : values.settings) {
    const Setting& setting = find_setting(name);
    if (setting.axis == 0) set(setting, config, texts.front(), flag_of(setting));
  }
  return config;
}

std::vector<TrainConfig> make_grid(const GridValues& values, size_t labels) {
  const ParameterAxes parameters = parameter_axes(values.params, labels);
  std::vector<TrainConfig> configs = {common_settings(values)};
  for (const Setting* axis : axes_in_order()) {
    if (std::string_view(axis->name) == "param") {
      check_parameters_are_known(configs, parameters);
      for (const auto& [name, numbers] : parameters) {
        multiply(
            configs, numbers,
            [&, &name = name](const TrainConfig& config) {
              return has_parameter(config.loss, name);
            },
            [&, &name = name](TrainConfig& config, double value) { config.params[name] = value; });
      }
      continue;
    }
    const auto given = values.settings.find(axis->name);
    if (given == values.settings.end()) continue;
    multiply(
        configs, given->second, [&](const TrainConfig& config) { return applies(*axis, config); },
        [&](TrainConfig& config, const std::string& text) {
          set(*axis, config, text, flag_of(*axis));
        });
  }
  for (const auto& [name, texts] : values.settings) {
    check_need(find_setting(name), texts, configs);
  }
  for (const TrainConfig& config : configs) check_together(config);
  return configs;
}

LossParameters parse_params(const std::vector<std::string>& params, size_t labels) {
  LossParameters values;
  for (const auto& [name, numbers] : parameter_axes(params, labels)) {
    if (numbers.size() != 1) fail_usage("--param {}: expected one value", name);
    values[name] = numbers.front();
  }
  return values;
}

}  // namespace spml
