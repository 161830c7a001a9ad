// spml demo
#include "experiment/demo.h"

#include <fmt/core.h>

#include <memory>

#include "cli/print_json.h"
#include "cli/progress.h"
#include "cli/sweep_table.h"
#include "cli/verbs.h"
#include "report/collect.h"
#include "report/page.h"

namespace spml::cli {
namespace {

struct Options {
  Common common;
  std::string out = "spml-demo";
};

void demo(const Options& options) {
  const DemoFolder folder{options.out};
  catch_interrupt();
  Json best;
  {
    LiveTable live(options.common.quiet);
    SweepEvents events;
    events.run_done = [&](const Json& result, size_t done, size_t total) {
      live.add(result, done, total);
    };
    events.stop_requested = interrupted;
    best = run_demo(folder, {.jobs = options.common.threads}, events);
  }
  if (can_draw_pages()) write_file(folder.report(), draw_page(collect({folder.sweep()})));
  const auto sentences = conclusions(best);
  if (options.common.json) {
    best["conclusions"] = sentences;
    best["page"] = can_draw_pages() ? Json(folder.report().string()) : Json();
    print_json(best);
    return;
  }
  fmt::print("{}\n", sweep_table(best["best"]));
  for (const std::string& sentence : sentences) fmt::print("{}\n", sentence);
  fmt::print("\n{} runs in {:.1f} s: {}\n", best["runs"].get<size_t>(),
             best["seconds"].get<double>(), folder.sweep().string());
  if (can_draw_pages()) {
    fmt::print("Charts, curves and every setting: open {} in a browser\n",
               folder.report().string());
  } else {
    fmt::print("No page: this spml was built with SPML_WEB=OFF\n");
  }
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
                    threads_flag(options->common)},
          .common = &options->common,
          .run = [options] { demo(*options); }};
}

}  // namespace spml::cli
