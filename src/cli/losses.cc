// spml losses, spml losses eval
#include <fmt/core.h>

#include "cli/options.h"
#include "cli/verbs.h"

namespace spml::cli {

void add_losses(CLI::App& app) {
  CLI::App& verb = add_verb(app, "losses", "Every loss, with its parameters");
  verb.callback([] {});
}

}  // namespace spml::cli
