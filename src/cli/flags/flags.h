// The declaration of a verb. Parsing, --config, --help, man pages, shell completion and
// docs/reference.md all follow from it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/complete.h"
#include "base/files.h"
#include "base/number.h"
#include "cli/flags/common.h"

namespace spml::cli {

// A flag without a value: giving it stores `value`; with =false, the opposite.
struct Switch {
  Switch(bool* where, bool what = true) : target(where), value(what) {}
  Switch(std::optional<bool>* where) : if_given(where) {}
  void store(bool on) const {
    if (target != nullptr) *target = on ? value : !value;
    if (if_given != nullptr) *if_given = on;
  }

  bool* target = nullptr;
  std::optional<bool>* if_given = nullptr;  // for switches that are on by default
  bool value = true;
};

// Where values go. The value at the time of the declaration is the default. Vectors collect every
// value given; the others accept one.
using Target =
    std::variant<std::string*, Switch, int*, uint32_t*, uint64_t*, double*, Path*,
                 std::optional<int>*, std::optional<uint64_t>*, std::optional<double>*,
                 std::vector<std::string>*, std::vector<uint64_t>*, std::vector<double>*>;

// Another flag that must be given, with this value unless the value is "".
struct Need {
  std::string flag, value;
};

// Flags that another flag stands for, as a JSON object; flags given explicitly win.
struct Expansion {
  std::string json;
  std::string source;  // for messages: a file, or the name of a preset
};

struct Flag {
  std::string name;  // without dashes; of a positional argument, in capitals: "DIR"
  Target target{};
  std::string help;    // meaning, without range and default
  std::string hint{};  // of the value: "RUN"; "" stands for the choices, or for the type
  Range range{};       // of numbers
  std::vector<std::string> choices{};  // the only legal words
  std::vector<std::string> offers{};   // words that shell completion offers; others are legal too
  std::string default_text{};          // in words, where the target's value does not show it
  bool required = false;
  bool commas = false;   // a list: 1,2,3
  bool several = false;  // more values may follow, up to the next flag
  bool once = false;     // a vector target that takes one value only
  Complete complete = Complete::kNothing;
  std::string also{};   // a second name
  std::string group{};  // heading in help
  std::vector<Need> needs{};
  std::vector<std::string> excludes{};
  std::string requirement{};  // a requirement in words that is checked elsewhere
  bool consent = false;       // allows replacing or running something: refused in a --config file
  // Throws an Error that starts with `where` unless the text is legal.
  std::function<void(const std::string& text, const std::string& where)> check{};
  std::function<Expansion(const std::string&)> expands{};  // --config and --preset
};

struct Example {
  std::string command, what;
};

struct ClusterFlags;

struct Verb {
  std::string name;
  std::string summary;        // one line, without a period
  std::string group{};        // heading in the list of all verbs
  std::string description{};  // more, for `--help` and the man page
  std::vector<Example> examples{};
  std::vector<Flag> positionals{};  // in order; a vector target takes the rest
  std::vector<Flag> flags{};        // --json, --quiet, --config and --help are added
  Common* common = nullptr;         // where --json and --quiet go
  ClusterFlags* cluster = nullptr;  // for a verb that several processes can share
  std::function<void()> run{};      // owns the targets; empty for a group of verbs
  std::vector<Verb> verbs{};        // `import voc`
};

// "--lr", or the bare name of a positional argument.
std::string shown_name(const Flag& flag);
bool is_switch(const Flag& flag);
bool is_list(const Flag& flag);              // collects several values
std::string value_hint(const Flag& flag);    // "" for a switch
std::string default_text(const Flag& flag);  // "" when there is none

// Stores the texts; a usage Error that starts with `where` if they are not legal.
void store(const Flag& flag, const std::vector<std::string>& texts, const std::string& where);

// The flag of that name (without dashes), or nullptr.
const Flag* find_flag(const Verb& verb, std::string_view name);
std::vector<std::string> flag_names(const Verb& verb);  // with dashes
const Verb* find_verb(const std::vector<Verb>& verbs, std::string_view name);
std::vector<std::string> verb_names(const std::vector<Verb>& verbs);

// Adds --json, --quiet, --config and --help to the verb and the verbs below it.
Verb with_common_flags(Verb verb);

}  // namespace spml::cli
