#include "cli/options.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "base/fail.h"
#include "base/files.h"
#include "base/parallel.h"
#include "base/text.h"
#include "experiment/presets.h"

namespace spml::cli {
namespace {

// The innermost verb that the arguments name: `spml losses eval` -> eval.
CLI::App* chosen_verb(CLI::App& app, const std::vector<std::string>& arguments) {
  CLI::App* verb = &app;
  for (const std::string& argument : arguments) {
    if (argument.starts_with("-")) break;
    const auto matches =
        verb->get_subcommands([&](const CLI::App* sub) { return sub->check_name(argument); });
    if (matches.empty()) break;
    verb = matches.front();
  }
  return verb;
}

std::vector<std::string> flag_names(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// Under any of the flag's names.
bool was_given(const std::vector<std::string>& arguments, const CLI::Option& option) {
  for (const std::string& name : option.get_lnames()) {
    const std::string flag = "--" + name;
    for (const std::string& argument : arguments) {
      if (argument == flag || argument.starts_with(flag + "=")) return true;
    }
  }
  return false;
}

// A list is written as flags take it: 1,2,3.
std::string value_text(const nlohmann::json& value) {
  if (!value.is_array()) return value.is_string() ? value.get<std::string>() : value.dump();
  std::string text;
  for (const auto& item : value) text += (text.empty() ? "" : ",") + value_text(item);
  return text;
}

void append_flag(std::vector<std::string>& arguments, const std::string& flag,
                 const nlohmann::json& value, const std::string& file) {
  if (value.is_boolean()) {
    if (value.get<bool>()) arguments.push_back(flag);
  } else if (value.is_array()) {
    for (const auto& item : value) {
      arguments.push_back(flag);
      arguments.push_back(value_text(item));
    }
  } else if (value.is_object()) {  // {"param": {"eps": 0.2}} is --param eps=0.2
    for (const auto& [name, item] : value.items()) {
      arguments.push_back(flag);
      arguments.push_back(name + "=" + value_text(item));
    }
  } else if (value.is_null()) {
    fail_usage("{}: expected a value for '{}', found null", file, flag.substr(2));
  } else {
    arguments.push_back(flag);
    arguments.push_back(value_text(value));
  }
}

std::string value_of(const std::string& flag, const std::vector<std::string>& arguments) {
  std::string value;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == flag && i + 1 < arguments.size()) value = arguments[i + 1];
    if (arguments[i].starts_with(flag + "=")) value = arguments[i].substr(flag.size() + 1);
  }
  return value;
}

// The flags of a file or preset, where they are not given already.
void append_missing(CLI::App& verb, const nlohmann::json& config, const std::string& source,
                    std::vector<std::string>& arguments) {
  const std::vector<std::string> known = flag_names(verb);
  const std::vector<std::string> given = arguments;
  for (const auto& [key, value] : config.items()) {
    const std::string flag = "--" + key;
    if (std::find(known.begin(), known.end(), flag) == known.end() || key == "config") {
      const std::string near = nearest(flag, known);
      fail_usage("{}: unknown key '{}'{}", source, key,
                 near.empty() ? "" : fmt::format("; did you mean '{}'?", near.substr(2)));
    }
    if (!was_given(given, *verb.get_option(flag))) append_flag(arguments, flag, value, source);
  }
}

}  // namespace

void add_json(CLI::App& verb, Common& common) {
  verb.add_flag("--json", common.json, "Print one JSON object on stdout and nothing else");
}

void add_quiet(CLI::App& verb, Common& common) {
  verb.add_flag("--quiet", common.quiet, "No progress on stderr");
}

void add_threads(CLI::App& verb, Common& common) {
  common.threads = hardware_threads();
  verb.add_option("--threads", common.threads, "Number of threads")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
}

CLI::App& add_verb(CLI::App& app, const std::string& name, const std::string& help) {
  CLI::App& verb = *app.add_subcommand(name, help);
  verb.add_option("--config", "JSON file with the same keys as the flags; flags win")
      ->type_name("FILE.json");
  return verb;
}

void print_json(const Json& value) {
  // nlohmann writes NaN and infinity as null.
  fmt::print("{}\n", value.dump(2, ' ', false, Json::error_handler_t::replace));
}

std::vector<std::string> expand_config(CLI::App& app, std::vector<std::string> arguments) {
  CLI::App& verb = *chosen_verb(app, arguments);
  const std::string file = value_of("--config", arguments);
  if (!file.empty()) {
    const auto config = nlohmann::json::parse(read_file(file, size_t{1} << 24), nullptr, false);
    if (!config.is_object()) {
      fail_usage("{}: expected a JSON object with the flags of the verb as keys", file);
    }
    append_missing(verb, config, file, arguments);
  }
  const std::string preset = value_of("--preset", arguments);
  if (!preset.empty() && verb.get_option_no_throw("--preset") != nullptr) {
    append_missing(verb, nlohmann::json::parse(find_preset(preset).flags), preset, arguments);
  }
  return arguments;
}

std::string misspelt_verb(CLI::App& app, const std::vector<std::string>& arguments) {
  CLI::App* verb = &app;
  for (const std::string& argument : arguments) {
    if (argument.starts_with("-") || verb->get_require_subcommand_min() == 0) break;
    CLI::App* next = chosen_verb(*verb, {argument});
    if (next == verb) return argument;
    verb = next;
  }
  return "";
}

std::string unknown_argument(const CLI::App& app, const std::vector<std::string>& arguments,
                             const std::string& extra) {
  const CLI::App* verb = chosen_verb(const_cast<CLI::App&>(app), arguments);
  if (extra.starts_with("-")) {
    const std::string flag = extra.substr(0, extra.find('='));
    return fmt::format("unknown flag '{}'{}", flag, did_you_mean(flag, flag_names(*verb)));
  }
  std::vector<std::string> verbs;
  for (const CLI::App* candidate : verb->get_subcommands([](const CLI::App*) { return true; })) {
    verbs.push_back(candidate->get_name());
  }
  if (verbs.empty()) return fmt::format("unexpected argument '{}'", extra);
  return fmt::format("unknown verb '{}'{}", extra, did_you_mean(extra, verbs));
}

}  // namespace spml::cli
