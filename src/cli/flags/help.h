// The text of `--help`, and the pieces shared with man pages and docs/reference.md.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/flags/flags.h"

namespace spml::cli {

// "spml observe DIR [flags]"; `path` is "observe".
std::string usage_line(const Verb& verb, const std::string& path);

// "--num-pos N"
std::string heading(const Flag& flag);

// "Positives to keep in each row (at least 0; default: 1)"
std::string explanation(const Flag& flag);

// Flags under one heading; those without one ("") come first.
struct FlagGroup {
  std::string title;
  std::vector<const Flag*> flags;
};
std::vector<FlagGroup> groups_of(const Verb& verb);

// Calls visit(title, verbs) for each group of verbs, in order; "" is the title of those without
// one.
void for_each_group(const std::vector<Verb>& verbs,
                    const std::function<void(const std::string&, std::span<const Verb>)>& visit);

std::string help_text(const Verb& verb, const std::string& path);
std::string help_text(const std::vector<Verb>& verbs);  // `spml help`

}  // namespace spml::cli
