// spml demo
#include "reproduce/demo.h"
#include "cli/flags/common_flags.h"

#include <fmt/core.h>

#include <memory>

#include "cli/print_json.h"
#include "cli/progress.h"
#include "cli/review_flags.h"
#include "cli/sweep_table.h"
#include "cli/verbs.h"
#include "report/collect.h"
#include "report/page.h"

namespace spml::cli {
namespace {

struct Options {
  Common common;
  std::string out = "spml-demo";
  bool review = false;
  ServeFlags serve;
};

void demo(const Options& options) {
  const DemoFolder folder{options.out};
  catch_interrupt();
  DemoResult result;
  {
    LiveTable live(options.common.quiet);
    SweepEvents events;
    events.run_done = [&](const SweepRun& run, size_t done, size_t total) {
      live.add(run, done, total);
    };
    events.stop_requested = interrupted;
    result = run_demo(folder, {.jobs = options.common.threads}, events);
  }
  std::optional<Path> page;
  if (can_draw_pages()) page = folder.report();
  if (page) write_file(*page, draw_page(collect({folder.sweep()})));
  if (options.common.json) {
    print_json_text(json_text(result, page));
    return;
  }
  fmt::print("{}\n", sweep_table(result.sweep.best));
  for (const std::string& sentence : conclusions(result)) fmt::print("{}\n", sentence);
  fmt::print("\n{} runs in {:.1f} s: {}\n", result.sweep.runs, result.sweep.seconds,
             folder.sweep().string());
  if (page) {
    fmt::print("Charts, curves and every setting: open {} in a browser\n", page->string());
  } else {
    fmt::print("No page: this spml was built with SPML_WEB=OFF\n");
  }
  fmt::print("Find the labels that are missing, in a browser: spml demo --review\n");
}

}  // namespace

Verb demo_verb() {
  auto options = std::make_shared<Options>();
  return {.name = "demo",
          .summary = "Train the paper's losses on built-in data and say what it shows",
          .flags = {{.name = "out",
                     .target = &options->out,
                     .help = "Folder to write; a rerun does only what is missing",
                     .hint = "DIR",
                     .complete = Complete::kFolder},
                    {.name = "review",
                     .target = &options->review,
                     .help = "Review the missing labels of drawn scenes in the browser"},
                    port_flag(options->serve, {{.flag = "review", .value = ""}}),
                    no_browser_flag(options->serve, {{.flag = "review", .value = ""}}),
                    threads_flag(options->common)},
          .common = &options->common,
          .run = [options] {
            if (options->review) {
              demo_review(options->out, options->serve, options->common);
            } else {
              demo(*options);
            }
          }};
}

}  // namespace spml::cli
