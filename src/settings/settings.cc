#include "settings/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fail.h"
#include "base/overload.h"
#include "base/text.h"

namespace spml {
namespace {

bool flag_value(const std::string& text, const std::string& where) {
  if (text != "true" && text != "false") {
    fail_usage("{}: expected true or false, found '{}'", where, text);
  }
  return text == "true";
}

LossParameters parameters(const std::string& text, const std::string& where) {
  const size_t equals = std::min(text.find('='), text.size());
  if (equals == 0 || equals == text.size()) {
    fail_usage("{}: expected name=value, found '{}'", where, text);
  }
  return {{text.substr(0, equals), number_in<double>(text.substr(equals + 1), {}, where)}};
}

void check_choice(const Setting& setting, const std::string& text, const std::string& where) {
  const auto& choices = setting.choices;
  if (choices.empty() || std::ranges::find(choices, text) != choices.end()) return;
  fail_usage("{}: expected {}, found '{}'{}", where, either(choices), text,
             did_you_mean(text, choices));
}

// Shorter than fmt's for powers of ten: 1e-3, 1e-5.
std::string short_number(double value) {
  std::string plain = fmt::format("{:g}", value), power = fmt::format("{:.0e}", value);
  const size_t zero = power.find("e-0");
  if (zero != std::string::npos) power.erase(zero + 2, 1);
  return value < 0.01 && parse_number<double>(power) == value ? power : plain;
}

// "25 linear, 10 finetune, 5 linear-init"
std::string text_by_mode(std::span<const double> values) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    const bool rest = std::all_of(values.begin() + static_cast<ptrdiff_t>(i), values.end(),
                                  [&](double value) { return value == values[i]; });
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", short_number(values[i]),
                        rest ? "otherwise" : to_string(static_cast<Mode>(i)));
    if (rest && i + 1 < values.size()) return text;
    if (rest) return text.substr(0, text.rfind(' ') + 1).append(to_string(static_cast<Mode>(i)));
  }
  return text;
}

}  // namespace

const Setting& find_setting(std::string_view name) {
  for (const Setting& setting : all_settings()) {
    if (setting.name == name) return setting;
  }
  fail("there is no setting '{}'", name);
}

std::vector<const Setting*> result_settings() {
  std::vector<const Setting*> list;
  for (const Setting& setting : all_settings()) {
    if (setting.in_result) list.push_back(&setting);
  }
  return list;
}

std::vector<const Setting*> trial_settings() {
  std::vector<const Setting*> list;
  for (const Setting& setting : all_settings()) {
    if (setting.in_trial > 0) list.push_back(&setting);
  }
  std::ranges::sort(list, {}, &Setting::in_trial);
  return list;
}

bool is_set(const Setting& setting, const TrainConfig& config) {
  TrainConfig copy = config;
  return std::visit(
      Overload{
          [&]<class T>(Get<std::optional<T>> get) { return get(copy).has_value(); },
          [&](const auto&) { return text_of(setting, config) != text_of(setting, TrainConfig()); }},
      setting.access);
}

std::string record_key(const Setting& setting) {
  std::string key = setting.name;
  if (key == "param") return "params";
  std::ranges::replace(key, '-', '_');
  return key;
}

void set(const Setting& setting, TrainConfig& config, const std::string& text,
         const std::string& where) {
  check_choice(setting, text, where);
  const Range& range = setting.range;
  std::visit(Overload{[&](const Words& words) {
                        try {
                          words.set(config, text);
                        } catch (const Error& error) {
                          fail_usage("{}: {}", where, error.what());
                        }
                      },
                      [&](Get<bool> get) { get(config) = flag_value(text, where); },
                      [&](Get<std::string> get) { get(config) = text; },
                      [&](Get<LossParameters> get) { get(config).merge(parameters(text, where)); },
                      [&]<class T>(Get<std::optional<T>> get) {
                        get(config) = number_in<T>(text, range, where);
                      },
                      [&]<class T>(Get<T> get) { get(config) = number_in<T>(text, range, where); }},
             setting.access);
}

void copy_setting(const Setting& setting, const TrainConfig& from, TrainConfig& to) {
  TrainConfig copy = from;  // the table's accessors give references to change
  std::visit(Overload{[&](const Words& words) { words.copy(from, to); },
                      [&]<class T>(Get<T> get) { get(to) = std::move(get(copy)); }},
             setting.access);
}

std::string text_of(const Setting& setting, const TrainConfig& config) {
  TrainConfig copy = config;  // the table's accessors give references to change
  const auto text = [](const auto& value) { return fmt::format("{}", value); };
  return std::visit(
      Overload{[&](const Words& words) { return words.text(config); },
               [&](Get<LossParameters> get) {
                 std::vector<std::string> items;
                 for (const auto& [name, value] : get(copy)) {
                   items.push_back(fmt::format("{}={}", name, value));
                 }
                 return fmt::format("{}", fmt::join(items, ","));
               },
               [&]<class T>(Get<std::optional<T>> get) {
                 const std::optional<T>& value = get(copy);
                 if (value) return text(*value);
                 if (setting.by_mode.empty()) return std::string();
                 return text(static_cast<T>(setting.by_mode[static_cast<size_t>(config.mode)]));
               },
               [&]<class T>(Get<T> get) { return text(get(copy)); }},
      setting.access);
}

std::string value_hint(const Setting& setting) {
  if (*setting.hint != '\0') return setting.hint;
  if (!setting.choices.empty()) return fmt::format("{}", fmt::join(setting.choices, "|"));
  const bool whole = std::holds_alternative<Get<int>>(setting.access) ||
                     std::holds_alternative<Get<uint32_t>>(setting.access) ||
                     std::holds_alternative<Get<uint64_t>>(setting.access) ||
                     std::holds_alternative<Get<std::optional<int>>>(setting.access);
  return whole ? "N" : "X";
}

std::string default_text(const Setting& setting) {
  if (*setting.default_text != '\0') return setting.default_text;
  if (!setting.by_mode.empty()) return text_by_mode(setting.by_mode);
  if (std::holds_alternative<Get<bool>>(setting.access)) return "";
  return text_of(setting, TrainConfig());
}

bool is_written(const Setting& setting, const TrainConfig& config) {
  if (setting.written == Written::kAlways) return true;
  if (setting.written == Written::kNever) return false;
  if (setting.need.met != nullptr && !setting.need.met(config)) return false;
  return setting.written == Written::kWithNeed ||
         text_of(setting, config) != text_of(setting, TrainConfig());
}

}  // namespace spml
