#include "cli/flags/flags.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/commas.h"
#include "base/fail.h"
#include "base/memory_budget.h"
#include "base/overload.h"
#include "base/text.h"

namespace spml::cli {
namespace {

template <class T>
constexpr bool kIsWord = std::is_same_v<T, std::string> || std::is_same_v<T, Path>;

// The element type of a target: the T of T*, optional<T>* and vector<T>*.
template <class T>
struct Element {
  using type = T;
};
template <class T>
struct Element<std::optional<T>> {
  using type = T;
};
template <class T>
struct Element<std::vector<T>> {
  using type = T;
};

template <class T>
T parse_value(const Flag& flag, const std::string& text, const std::string& where) {
  const auto& choices = flag.choices;
  if (!choices.empty() && std::ranges::find(choices, text) == choices.end()) {
    fail_usage("{}: expected {}, found '{}'{}", where, either(choices), text,
               did_you_mean(text, choices));
  }
  if (flag.check) flag.check(text, where);
  if constexpr (kIsWord<T>) {
    return text;
  } else {
    return number_in<T>(text, flag.range, where);
  }
}

template <class T>
std::string number_text(const T& value) {
  if constexpr (std::is_same_v<T, Path>) {
    return value.string();
  } else if constexpr (std::is_same_v<T, double>) {
    return fmt::format("{:g}", value);
  } else {
    return fmt::format("{}", value);
  }
}

bool parse_switch(const std::string& text, const std::string& where) {
  if (text == "true") return true;
  if (text != "false") fail_usage("{}: expected no value, found '{}'", where, text);
  return false;
}

}  // namespace

std::string shown_name(const Flag& flag) {
  const bool positional = !flag.name.empty() && flag.name[0] >= 'A' && flag.name[0] <= 'Z';
  return positional ? flag.name : "--" + flag.name;
}

bool is_switch(const Flag& flag) { return std::holds_alternative<Switch>(flag.target); }

bool is_list(const Flag& flag) {
  if (flag.once) return false;
  return std::holds_alternative<std::vector<std::string>*>(flag.target) ||
         std::holds_alternative<std::vector<uint64_t>*>(flag.target) ||
         std::holds_alternative<std::vector<double>*>(flag.target);
}

std::string value_hint(const Flag& flag) {
  if (is_switch(flag)) return "";
  const std::string more = flag.commas ? ",..." : "";
  if (!flag.hint.empty()) return flag.hint + more;
  if (!flag.choices.empty()) return fmt::format("{}{}", fmt::join(flag.choices, "|"), more);
  const std::string hint = std::visit(
      Overload{[](const Switch&) { return std::string(); },
               [](auto* target) {
                 using T = typename Element<std::remove_pointer_t<decltype(target)>>::type;
                 return std::string(kIsWord<T> ? "TEXT" : std::is_integral_v<T> ? "N" : "X");
               }},
      flag.target);
  return hint + more;
}

std::string default_text(const Flag& flag) {
  if (!flag.default_text.empty() || flag.required) return flag.default_text;
  return std::visit(Overload{[](const Switch&) { return std::string(); },
                             []<class T>(T* target) { return number_text(*target); },
                             []<class T>(std::optional<T>* target) {
                               return *target ? number_text(**target) : std::string();
                             },
                             []<class T>(std::vector<T>* target) {
                               std::string text;
                               for (const T& value : *target) {
                                 text += (text.empty() ? "" : ",") + number_text(value);
                               }
                               return text;
                             }},
                    flag.target);
}

void store(const Flag& flag, const std::vector<std::string>& texts, const std::string& where) {
  std::vector<std::string> values;
  for (const std::string& text : texts) {
    const auto parts = flag.commas ? split_at_commas(text) : std::vector{text};
    values.insert(values.end(), parts.begin(), parts.end());
  }
  if (!is_switch(flag) && !is_list(flag) && values.size() != 1) {
    fail_usage("{}: expected one value, found {}: {}", where, values.size(),
               fmt::join(values, ", "));
  }
  std::visit(
      Overload{[&](const Switch& target) { target.store(parse_switch(values.back(), where)); },
               [&]<class T>(T* target) { *target = parse_value<T>(flag, values[0], where); },
               [&]<class T>(std::optional<T>* target) {
                 *target = parse_value<T>(flag, values[0], where);
               },
               [&]<class T>(std::vector<T>* target) {
                 target->clear();
                 for (const std::string& value : values) {
                   target->push_back(parse_value<T>(flag, value, where));
                 }
               }},
      flag.target);
}

const Flag* find_flag(const Verb& verb, std::string_view name) {
  for (const Flag& flag : verb.flags) {
    if (flag.name == name || (!flag.also.empty() && flag.also == name)) return &flag;
  }
  return nullptr;
}

std::vector<std::string> flag_names(const Verb& verb) {
  std::vector<std::string> names;
  for (const Flag& flag : verb.flags) {
    names.push_back("--" + flag.name);
    if (!flag.also.empty()) names.push_back("--" + flag.also);
  }
  return names;
}

const Verb* find_verb(const std::vector<Verb>& verbs, std::string_view name) {
  const auto found = std::ranges::find(verbs, name, &Verb::name);
  return found == verbs.end() ? nullptr : &*found;
}

std::vector<std::string> verb_names(const std::vector<Verb>& verbs) {
  std::vector<std::string> names;
  for (const Verb& verb : verbs) names.push_back(verb.name);
  return names;
}

Verb with_common_flags(Verb verb) {
  constexpr size_t kMaxConfigBytes = size_t{1} << 24;
  for (Verb& below : verb.verbs) below = with_common_flags(std::move(below));
  if (!verb.run) return verb;
  Flag config{.name = "config",
              .target = &verb.common->config,
              .help = "JSON file with the flags of this verb as keys; flags given here win",
              .hint = "FILE.json",
              .complete = Complete::kFile};
  config.expands = [](const std::string& file) {
    return Expansion{read_file(file, kMaxConfigBytes), file};
  };
  verb.flags.push_back({.name = "json",
                        .target = &verb.common->json,
                        .help = "Print one JSON object on stdout and nothing else"});
  verb.flags.push_back(
      {.name = "quiet", .target = &verb.common->quiet, .help = "No progress or notices on stderr"});
  verb.flags.push_back({.name = "max-memory",
                        .target = &verb.common->max_memory,
                        .help = "Memory to use at most, such as 8G",
                        .hint = "SIZE",
                        .default_text = "what the machine has",
                        .consent = true,
                        .check = [](const std::string& text, const std::string& where) {
                          parse_size(text, where);
                        }});
  verb.flags.push_back(std::move(config));
  verb.flags.push_back(
      {.name = "help", .target = &verb.common->help, .help = "Print this help and nothing else"});
  return verb;
}

}  // namespace spml::cli
