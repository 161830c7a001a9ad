// spml report
#include <fmt/core.h>

#include <memory>

#include "base/fail.h"
#include "base/files.h"
#include "base/folders.h"
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

// Pages are meant to be replaced; any other file belongs to the user.
void expect_page(const Path& file) {
  constexpr std::string_view kBegin = "<!doctype html>";
  expect_replaceable(file);
  if (!path_exists(file)) return;
  const MappedFile found(file);
  const auto bytes = found.bytes();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.empty() || text.starts_with(kBegin)) return;
  fail("{}: expected a page to replace, found another file; choose another --out", file.string());
}

void report(const Options& options) {
  expect_page(options.out);
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
