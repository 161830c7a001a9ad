#include "cli/flags/man.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/flags/help.h"
#include "spml/version.h"

namespace spml::cli {
namespace {

// Text escaped for roff.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      if (out.empty() && (c == '.' || c == '\'')) out += "\\&";
      out += c;
    }
  }
  return out;
}

std::string page_name(const std::string& path) {
  std::string name = path.empty() ? "spml" : "spml-" + path;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string title(const std::string& path, const std::string& summary) {
  std::string upper = page_name(path);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return fmt::format(
      ".TH {} 1 \"\" \"spml {}\" \"User commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n",
      roff(upper), kVersion, roff(page_name(path)), roff(summary));
}

std::string entry(const std::string& name, const std::string& meaning) {
  return fmt::format(".TP\n.B {}\n{}\n", roff(name), roff(meaning));
}

std::string exit_status() {
  return ".SH EXIT STATUS\n0: done. 1: failed. 2: wrong usage. 130: stopped with Ctrl\\-C.\n";
}

std::string see_also(const std::vector<std::string>& paths) {
  std::string text = ".SH SEE ALSO\n";
  for (size_t i = 0; i < paths.size(); ++i) {
    text +=
        fmt::format(".BR {} (1){}\n", roff(page_name(paths[i])), i + 1 < paths.size() ? "," : "");
  }
  return text;
}

void add_pages(const std::vector<Verb>& verbs, const std::string& above,
               std::vector<std::pair<std::string, std::string>>& pages) {
  for (const Verb& verb : verbs) {
    const std::string path = above + verb.name;
    pages.emplace_back(page_name(path) + ".1", man_page(verb, path));
    add_pages(verb.verbs, path + " ", pages);
  }
}

// Cells of a Markdown table.
std::string cell(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
    text.replace(at, 1, "\\|");
  }
  return text;
}

bool is_common(const Flag& flag) {
  return flag.name == "json" || flag.name == "quiet" || flag.name == "config" ||
         flag.name == "max-memory" || flag.name == "help";
}

void add_reference(const std::vector<Verb>& verbs, const std::string& above, std::string& text) {
  for (const Verb& verb : verbs) {
    const std::string path = above + verb.name;
    text += fmt::format("\n## spml {}\n\n{}.", path, verb.summary);
    if (!verb.description.empty()) text += " " + verb.description;
    text += fmt::format("\n\n```\n{}\n```\n", usage_line(verb, path));
    const auto rows = [&](const auto& flags) {
      text += "\n| | |\n|---|---|\n";
      for (const Flag* flag : flags) {
        text += fmt::format("| `{}` | {} |\n", cell(heading(*flag)), cell(explanation(*flag)));
      }
    };
    std::vector<const Flag*> positionals;
    for (const Flag& positional : verb.positionals) positionals.push_back(&positional);
    for (const FlagGroup& group : groups_of(verb)) {
      std::vector<const Flag*> flags =
          group.title.empty() ? positionals : std::vector<const Flag*>{};
      for (const Flag* flag : group.flags) {
        if (!is_common(*flag)) flags.push_back(flag);
      }
      if (!group.title.empty()) text += fmt::format("\n{}:\n", group.title);
      if (!flags.empty()) rows(flags);
    }
    for (const Example& example : verb.examples) {
      text += fmt::format("\n{}:\n\n```sh\n{}\n```\n", example.what, example.command);
    }
    add_reference(verb.verbs, path + " ", text);
  }
}

}  // namespace

std::string man_page(const Verb& verb, const std::string& path) {
  std::string text = title(path, verb.summary);
  text += fmt::format(".B {}\n.SH DESCRIPTION\n{}.\n", roff(usage_line(verb, path)),
                      roff(verb.summary));
  if (!verb.description.empty()) text += fmt::format(".PP\n{}\n", roff(verb.description));
  if (!verb.positionals.empty()) text += ".SH ARGUMENTS\n";
  for (const Flag& positional : verb.positionals) {
    text += entry(heading(positional), explanation(positional));
  }
  bool first = true;
  for (const FlagGroup& group : groups_of(verb)) {
    if (group.flags.empty()) continue;
    if (first) text += ".SH OPTIONS\n";
    first = false;
    if (!group.title.empty()) text += fmt::format(".SS {}\n", roff(group.title));
    for (const Flag* flag : group.flags) text += entry(heading(*flag), explanation(*flag));
  }
  if (!verb.verbs.empty()) text += ".SH VERBS\n";
  std::vector<std::string> others = {""};
  for (const Verb& below : verb.verbs) {
    text += entry(below.name, below.summary);
    others.push_back(path + " " + below.name);
  }
  if (!verb.examples.empty()) text += ".SH EXAMPLES\n";
  for (const Example& example : verb.examples) {
    text += fmt::format("{}:\n.PP\n.RS 4\n.EX\n{}\n.EE\n.RE\n.PP\n", roff(example.what),
                        roff(example.command));
  }
  return text + exit_status() + see_also(others);
}

std::string man_page(const std::vector<Verb>& verbs) {
  std::string text = title("", "multi-label classifiers from one positive label per example");
  text += ".B spml\n.I VERB\n[arguments]\n.SH VERBS\n";
  std::vector<std::string> paths;
  for_each_group(verbs, [&](const std::string& heading, std::span<const Verb> group) {
    if (!heading.empty()) text += fmt::format(".SS {}\n", roff(heading));
    for (const Verb& verb : group) {
      text += entry(verb.name, verb.summary);
      paths.push_back(verb.name);
    }
  });
  return text + exit_status() + see_also(paths);
}

std::vector<std::pair<std::string, std::string>> all_man_pages(const std::vector<Verb>& verbs) {
  std::vector<std::pair<std::string, std::string>> pages = {{"spml.1", man_page(verbs)}};
  add_pages(verbs, "", pages);
  return pages;
}

std::string reference_markdown(const std::vector<Verb>& verbs) {
  std::string text =
      "# Every verb and flag\n\n"
      "Generated from the declarations of the verbs by `spml man --markdown`; do not edit.\n\n"
      "Every verb also has `--json` (one JSON object on stdout and nothing else), `--quiet` (no "
      "progress or\nnotices on stderr), `--config FILE.json` (the same keys as the flags; flags "
      "given beside it win),\n`--max-memory SIZE` (such as 8G; by default what the machine has) "
      "and `--help`. Flags that let something\nbe replaced or run (`--force`, `--overwrite`, "
      "`--trust-code`) are refused in a `--config` file.\n";
  add_reference(verbs, "", text);
  return text;
}

}  // namespace spml::cli
