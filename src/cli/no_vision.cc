// The image verbs of a build without SPML_VISION: they say what is missing.
#include "base/fail.h"
#include "cli/verbs.h"

namespace spml::cli {
namespace {

void add_missing(CLI::App& app, const std::string& name, const std::string& help) {
  CLI::App& verb = *app.add_subcommand(name, help + " (not in this build)");
  verb.allow_extras();
  verb.callback(
      [name] { fail("`spml {}` needs image support; build with -DSPML_VISION=ON", name); });
}

}  // namespace

void add_weights(CLI::App& app) {
  add_missing(app, "weights", "Get the weights of an image network");
}

void add_extract(CLI::App& app) {
  add_missing(app, "extract", "Compute the features of a data folder's images");
}

}  // namespace spml::cli
