// Flags that verbs share, and how a verb's callback is attached.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace spml::cli {

using Json = nlohmann::ordered_json;

// --json, --quiet, --threads and --seed; a verb adds those that mean something to it.
struct Common {
  bool json = false;
  bool quiet = false;
  int threads = 0;  // 0 until resolved: all cores
  uint64_t seed = 0;
};

void add_json(CLI::App& verb, Common& common);
void add_quiet(CLI::App& verb, Common& common);
void add_threads(CLI::App& verb, Common& common);  // leaves the number of cores when not given

// A verb with --config FILE.json, whose keys are the verb's flags (see config_arguments).
CLI::App& add_verb(CLI::App& app, const std::string& name, const std::string& help);

// The one JSON object of a verb, on stdout. NaN and infinity become null.
void print_json(const Json& value);

// Expands --config FILE.json in the arguments of a verb: every key becomes a flag unless the same
// flag was given. An unknown key is a usage error that names the nearest valid one.
std::vector<std::string> expand_config(CLI::App& app, std::vector<std::string> arguments);

// The argument that stands where a verb has to and is none, e.g. `vco` in `import vco`; "" when all
// verbs are right. CLI11 reports it as a missing verb.
std::string misspelt_verb(CLI::App& app, const std::vector<std::string>& arguments);

// The message for a flag or verb that does not exist, naming the nearest valid one.
std::string unknown_argument(const CLI::App& app, const std::vector<std::string>& arguments,
                             const std::string& extra);

}  // namespace spml::cli
