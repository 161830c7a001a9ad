// spml report
#include <fmt/core.h>

#include <memory>

#include "base/files.h"
#include "cli/print_json.h"
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

Verb report_verb() {
  auto options = std::make_shared<Options>();
  return {.name = "report",
          .summary = "One self-contained HTML page from runs and sweeps",
          .examples = {{"spml report run sweep --out page.html", "A page of a run and a sweep"}},
          .positionals = {{.name = "OUT",
                           .target = &options->folders,
                           .help = "Folders of runs, sweeps and reproductions",
                           .required = true,
                           .complete = Complete::kFolder}},
          .flags = {{.name = "out",
                     .target = &options->out,
                     .help = "The page",
                     .hint = "FILE.html",
                     .complete = Complete::kFile}},
          .common = &options->common,
          .run = [options] { report(*options); }};
}

}  // namespace spml::cli
