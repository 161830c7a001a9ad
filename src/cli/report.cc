// spml report
#include <fmt/core.h>

#include <memory>

#include "base/files.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "report/collect.h"
#include "report/page.h"

namespace spml::cli {
namespace {

struct Options {
  Common common;
  std::vector<std::string> folders;
  std::string out = "report.html";
};

void report(const Options& options) {
  const std::string page = draw_page(collect({options.folders.begin(), options.folders.end()}));
  write_file(options.out, page);
  if (options.common.json) {
    print_json({{"page", options.out}, {"bytes", page.size()}});
    return;
  }
  fmt::print("{}: {:.1f} MB, opens in any browser without a network\n", options.out,
             static_cast<double>(page.size()) / 1e6);
}

}  // namespace

void add_report(CLI::App& app) {
  CLI::App& verb = add_verb(app, "report", "One self-contained HTML page from runs and sweeps");
  auto options = std::make_shared<Options>();
  verb.add_option("folders", options->folders, "Run folders and sweep folders")
      ->required()
      ->type_name("OUT");
  verb.add_option("--out", options->out, "The page")->type_name("FILE.html")->capture_default_str();
  add_json(verb, options->common);
  verb.callback([options] { report(*options); });
}

}  // namespace spml::cli
