// The program: parses the command line, runs one verb, and turns its exception into an exit code.
// This is the only place that catches and the only one that decides how the process ends.
#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <new>

#include "base/text.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "spml/error.h"
#include "spml/version.h"

namespace {

constexpr int kFailed = 1, kUsage = 2, kInterrupted = 130;

int report(const std::string& message, int code) {
  fmt::print(stderr, "spml: error: {}\n", spml::printable(message));
  return code;
}

int exit_code(spml::Error::Kind kind) {
  switch (kind) {
    case spml::Error::Kind::kUsage:
      return kUsage;
    case spml::Error::Kind::kInterrupted:
      return kInterrupted;
    case spml::Error::Kind::kFailed:
      break;
  }
  return kFailed;
}

int run(int argc, char** argv) {
  CLI::App app("Multi-label classifiers from one positive label per example.", "spml");
  app.set_version_flag("--version", std::string("spml ") + spml::kVersion);
  app.require_subcommand(1);
  app.footer("`spml <verb> --help` explains a verb.");
  spml::cli::add_demo(app);
  spml::cli::add_train(app);
  spml::cli::add_sweep(app);
  spml::cli::add_evaluate(app);
  spml::cli::add_predict(app);
  spml::cli::add_reproduce(app);
  spml::cli::add_report(app);
  spml::cli::add_synth(app);
  spml::cli::add_observe(app);
  spml::cli::add_stats(app);
  spml::cli::add_estimate_k(app);
  spml::cli::add_import(app);
  spml::cli::add_weights(app);
  spml::cli::add_extract(app);
  spml::cli::add_losses(app);
  app.add_subcommand("help", "Print this help")->silent();

  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty() || arguments == std::vector<std::string>{"help"}) arguments = {"--help"};
  if (arguments.size() == 2 && arguments[0] == "help") arguments = {arguments[1], "--help"};
  try {
    arguments = spml::cli::expand_config(app, std::move(arguments));
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(std::move(reversed));
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ExtrasError&) {
    const auto extras = app.remaining(true);
    return report(spml::cli::unknown_argument(app, arguments, extras.empty() ? "" : extras.front()),
                  kUsage);
  } catch (const CLI::ParseError& error) {
    const std::string misspelt = spml::cli::misspelt_verb(app, arguments);
    return report(
        misspelt.empty() ? error.what() : spml::cli::unknown_argument(app, arguments, misspelt),
        kUsage);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const spml::Error& error) {
    return report(error.what(), exit_code(error.kind()));
  } catch (const std::bad_alloc&) {
    return report("out of memory", kFailed);
  } catch (const std::exception& error) {
    return report(error.what(), kFailed);
  }
}
