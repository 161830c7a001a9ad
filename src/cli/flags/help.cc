#include "cli/flags/help.h"

#include <fmt/format.h>

#include <algorithm>

namespace spml::cli {
namespace {

constexpr size_t kWidth = 100, kColumn = 28;

// Words wrapped into lines; all but the first are indented to the column.
std::string wrap(const std::string& text, size_t column, size_t at) {
  std::string out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (at > column && at + 1 + word.size() > kWidth) {
      out += "\n" + std::string(column, ' ');
      at = column;
    } else if (at > column) {
      out += ' ';
      ++at;
    }
    out += word;
    at += word.size();
    if (end < text.size() && text[end] == '\n') {
      out += "\n" + std::string(column, ' ');
      at = column;
    }
    begin = end + 1;
  }
  return out;
}

// A name with its meaning in a column beside or below it.
std::string entry(const std::string& name, const std::string& meaning) {
  std::string line = "  " + name;
  line += line.size() + 2 > kColumn ? "\n" + std::string(kColumn, ' ')
                                    : std::string(kColumn - line.size(), ' ');
  return line + wrap(meaning, kColumn, kColumn) + "\n";
}

std::string list_of(std::span<const Verb> verbs) {
  std::string text;
  for (const Verb& verb : verbs) text += entry(verb.name, verb.summary);
  return text;
}

}  // namespace

std::string usage_line(const Verb& verb, const std::string& path) {
  std::string line = "spml " + path;
  if (!verb.run) return line + " VERB";
  for (const Flag& positional : verb.positionals) {
    const std::string name = positional.name + (is_list(positional) ? "..." : "");
    line += positional.required ? " " + name : " [" + name + "]";
  }
  for (const Flag& flag : verb.flags) {
    if (flag.required) line += " " + heading(flag);
  }
  return line + " [flags]";
}

std::string heading(const Flag& flag) {
  const std::string hint = value_hint(flag);
  return shown_name(flag) + (hint.empty() || shown_name(flag) == flag.name ? "" : " " + hint);
}

std::string explanation(const Flag& flag) {
  std::vector<std::string> notes;
  if (const std::string range = to_string(flag.range); !range.empty()) notes.push_back(range);
  if (const std::string text = default_text(flag); !text.empty())
    notes.push_back("default: " + text);
  if (is_list(flag) && !flag.commas && shown_name(flag) != flag.name) {
    notes.emplace_back(flag.several ? "several may follow" : "can be repeated");
  }
  for (const Need& need : flag.needs) {
    notes.push_back(
        fmt::format("requires --{}{}{}", need.flag, need.value.empty() ? "" : " ", need.value));
  }
  if (!flag.requirement.empty()) notes.push_back("requires " + flag.requirement);
  if (flag.required && shown_name(flag) != flag.name) notes.emplace_back("required");
  return notes.empty() ? flag.help : fmt::format("{} ({})", flag.help, fmt::join(notes, "; "));
}

std::vector<FlagGroup> groups_of(const Verb& verb) {
  std::vector<FlagGroup> groups = {{}};
  for (const Flag& flag : verb.flags) {
    auto group = std::ranges::find(groups, flag.group, &FlagGroup::title);
    if (group == groups.end()) group = groups.insert(groups.end(), {flag.group, {}});
    group->flags.push_back(&flag);
  }
  return groups;
}

std::string help_text(const Verb& verb, const std::string& path) {
  std::string text = fmt::format("{}.\n", verb.summary);
  if (!verb.description.empty()) text += "\n" + wrap(verb.description, 0, 0) + "\n";
  text += "\nUsage: " + usage_line(verb, path) + "\n";
  if (!verb.positionals.empty()) text += "\n";
  for (const Flag& positional : verb.positionals) {
    text += entry(heading(positional), explanation(positional));
  }
  for (const FlagGroup& group : groups_of(verb)) {
    if (group.flags.empty()) continue;
    text += fmt::format("\n{}:\n", group.title.empty() ? "Flags" : group.title);
    for (const Flag* flag : group.flags) text += entry(heading(*flag), explanation(*flag));
  }
  if (!verb.verbs.empty()) text += "\nVerbs:\n" + list_of(verb.verbs);
  if (!verb.examples.empty()) text += "\nExamples:\n";
  for (const Example& example : verb.examples) {
    text += fmt::format("  {}\n      {}\n", example.command, wrap(example.what, 6, 6));
  }
  if (!verb.verbs.empty()) text += fmt::format("\n`spml {} VERB --help` explains a verb.\n", path);
  return text;
}

void for_each_group(const std::vector<Verb>& verbs,
                    const std::function<void(const std::string&, std::span<const Verb>)>& visit) {
  for (auto begin = verbs.begin(); begin != verbs.end();) {
    const auto end =
        std::find_if(begin, verbs.end(), [&](const Verb& v) { return v.group != begin->group; });
    visit(begin->group, {begin, end});
    begin = end;
  }
}

std::string help_text(const std::vector<Verb>& verbs) {
  std::string text =
      "Multi-label classifiers from one positive label per example.\n\n"
      "Usage: spml VERB [arguments]\n";
  for_each_group(verbs, [&](const std::string& title, std::span<const Verb> group) {
    text += (title.empty() ? "\n" : fmt::format("\n{}:\n", title)) + list_of(group);
  });
  return text + "\n`spml VERB --help` explains a verb; `spml --version` prints the version.\n";
}

}  // namespace spml::cli
