// spml sweep
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "base/fail.h"
#include "cli/images.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/sweep_table.h"
#include "cli/train_flags.h"
#include "cli/verbs.h"
#include "experiment/sweep.h"

namespace spml::cli {
namespace {

struct Options {
  Common common;
  TrainFlags flags;
  std::string out, shard = "1/1";
  int jobs = 0;
  bool resume = false, overwrite = false;
  uint64_t checkpoint_every = 0;
};

// "2/8" -> the second of eight.
void parse_shard(const std::string& text, SweepOptions& sweep) {
  const size_t slash = text.find('/');
  size_t i = 0, n = 0;
  const char *begin = text.data(), *end = begin + text.size();
  const char* middle = slash == std::string::npos ? end : begin + slash;
  const bool ok = middle != end && std::from_chars(begin, middle, i).ptr == middle &&
                  std::from_chars(middle + 1, end, n).ptr == end;
  if (!ok || i < 1 || i > n) {
    fail_usage("--shard: expected i/n with i from 1 to n, found '{}'", text);
  }
  sweep.shard = i - 1;
  sweep.shards = n;
}

void sweep(const Options& options) {
  if (options.resume && options.overwrite)
    fail_usage("--resume and --overwrite exclude each other");
  SweepOptions sweep;
  sweep.out = options.out;
  sweep.overwrite = options.overwrite;
  sweep.checkpoint_every = options.checkpoint_every;
  parse_shard(options.shard, sweep);
  // A step of a network keeps all cores busy; one of a linear model does not.
  const int default_jobs = options.flags.is_linear() ? options.common.threads : 1;
  sweep.jobs = options.jobs > 0 ? options.jobs : default_jobs;
  sweep.make_image_model = image_model_maker();
  sweep.threads = std::max(1, options.common.threads / sweep.jobs);

  check_image_flags(options.flags);
  DatasetOptions data_options;
  data_options.need_features = data_options.load_features = options.flags.needs_features();
  data_options.threads = options.common.threads;
  const Dataset data = open_dataset(options.flags.data, data_options);
  const auto grid = expand(options.flags, data.labels(), kPaperLearningRates, kPaperBatches);
  catch_interrupt();
  Json best;
  {
    LiveTable live(options.common.quiet);
    SweepEvents events;
    events.run_done = [&](const Json& result, size_t done, size_t total) {
      live.add(result, done, total);
    };
    events.stop_requested = interrupted;
    best = run_sweep(data, grid, sweep, events);
  }
  if (options.common.json) {
    print_json(best);
    return;
  }
  fmt::print("{}", sweep_table(best["best"]));
  fmt::print("{} runs in {:.1f} s; all of them in {}/results.jsonl\n", best["runs"].get<size_t>(),
             best["seconds"].get<double>(), options.out);
}

}  // namespace

void add_sweep(CLI::App& app) {
  CLI::App& verb =
      add_verb(app, "sweep", "Train over a grid of settings; a rerun does only what is missing");
  auto options = std::make_shared<Options>();
  add_train_flags(verb, options->flags, true);
  verb.get_option("--lr")->description("Learning rates (default: the paper's 1e-2,1e-3,1e-4,1e-5)");
  verb.get_option("--batch")->description("Batch sizes (default: the paper's 8,16)");
  verb.add_option("--out", options->out, "The sweep folder")->required()->type_name("SWEEP");
  verb.add_option("--jobs", options->jobs,
                  "Runs at the same time (default: all cores, 1 unless linear)")
      ->check(CLI::Range(1, 1024));
  verb.add_option("--shard", options->shard, "i/n: do the i-th of n parts of the grid")
      ->capture_default_str();
  verb.add_flag("--resume", options->resume, "Do what is missing; so does a sweep without it");
  verb.add_flag("--overwrite", options->overwrite, "Do the runs again that are finished");
  verb.add_option("--checkpoint-every", options->checkpoint_every,
                  "Steps between a run's checkpoints (default: every 10 s at most)")
      ->type_name("STEPS");
  add_threads(verb, options->common);
  add_json(verb, options->common);
  add_quiet(verb, options->common);
  verb.callback([options] { sweep(*options); });
}

}  // namespace spml::cli
