// spml sweep
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "base/fail.h"
#include "cli/cluster.h"
#include "cli/flags/common_flags.h"
#include "cli/images.h"
#include "cli/print_json.h"
#include "cli/progress.h"
#include "cli/sweep_table.h"
#include "cli/train_flags.h"
#include "cli/verbs.h"
#include "sweep/linear_start.h"
#include "sweep/sweep.h"

namespace spml::cli {
namespace {

struct Options {
  Common common;
  TrainFlags flags;
  ActivationFolder cache;
  std::string out, shard = "1/1";
  std::optional<int> jobs;
  bool resume = false, overwrite = false;
  uint64_t checkpoint_every = 0;
  ClusterFlags cluster;
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

// The paper's lists where none is given.
TrainFlags with_paper_grid(TrainFlags flags) {
  const auto fill = [&](const char* name, const auto& values) {
    std::vector<std::string>& texts = flags.values.settings[name];
    if (!texts.empty()) return;
    for (const auto value : values) texts.push_back(fmt::format("{}", value));
  };
  fill("lr", kPaperLearningRates);
  fill("batch", kPaperBatches);
  return flags;
}

void sweep(const Options& options) {
  SweepOptions sweep;  // its time begins here
  sweep.out = options.out;
  sweep.overwrite = options.overwrite;
  sweep.beside_others = options.resume || options.overwrite;
  sweep.keep_earlier = true;
  sweep.checkpoint_every = options.checkpoint_every;
  parse_shard(options.shard, sweep);
  sweep.cluster = joined_cluster();
  if (sweep.cluster != nullptr && sweep.shards > 1) {
    fail_usage("--shard: the ranks share the whole grid; leave it out, or give --distributed off");
  }
  // A step of a network keeps all cores busy; one of a linear model does not.
  const int default_jobs = options.flags.is_linear() ? options.common.threads : 1;
  sweep.jobs = options.jobs.value_or(default_jobs);
  sweep.threads = std::max(1, options.common.threads / sweep.jobs);

  const TrainFlags flags = with_paper_grid(options.flags);
  check(flags);
  DatasetOptions data_options;
  data_options.need_features = data_options.load_features = options.flags.needs_features();
  data_options.threads = options.common.threads;
  const Dataset data = open_dataset(options.flags.data, data_options);
  const auto grid = expand(flags, data.labels());
  const ActivationFolder cache = with_default(options.cache, options.out);
  if (!flags.is_linear()) {  // one device for all runs
    sweep.linear_starts = linear_starts();
    sweep.make_image_model =
        image_model_maker(grid.front().image.device, cache, [&](const std::string& text) {
          if (!options.common.quiet) notice(text);
        });
  }
  catch_interrupt();
  SweepSummary summary;
  std::vector<std::string> notices;  // which would spoil the table while it is redrawn
  {
    LiveTable live(options.common.quiet);
    SweepEvents events;
    events.run_done = [&](const SweepRun& run, size_t done, size_t total) {
      live.add(run, done, total);
    };
    events.notice = [&](const std::string& text) { notices.push_back(text); };
    events.stop_requested = interrupted;
    summary = run_sweep(data, grid, sweep, events);
  }
  if (!options.common.quiet) std::ranges::for_each(notices, notice);
  const bool is_first = is_first_of(sweep.cluster);
  if (!flags.is_linear() && summary.failed.empty() && is_first) clear_activations(cache);
  if (options.common.json) {
    check_complete(summary.failed);
    print_json_text(json_text(summary));
    return;
  }
  fmt::print("{}", sweep_table(summary.best));
  fmt::print("{} runs in {:.1f} s; all of them in {}/results.jsonl\n", summary.runs,
             summary.seconds, options.out);
  check_complete(summary.failed);
}

}  // namespace

Verb sweep_verb() {
  auto options = std::make_shared<Options>();
  Verb verb{
      .name = "sweep",
      .summary = "Train over a grid of settings; a rerun does only what is missing",
      .examples = {{"spml sweep voc12 --loss an,role --out sweep",
                    "Two losses over the paper's learning rates and batch sizes"},
                   {"spml sweep voc12 --loss an-ls --param eps=0.05,0.1 --seeds 0,1,2 --out sweep",
                    "A parameter and three seeds"}},
      .common = &options->common,
      .cluster = &options->cluster,
      .run = [options] { sweep(*options); }};
  add_train_flags(verb, options->flags, true);
  add_cache_flags(verb.flags, options->cache);
  const std::vector<Flag> more = {
      {.name = "out",
       .target = &options->out,
       .help = "The sweep folder",
       .hint = "SWEEP",
       .required = true,
       .complete = Complete::kFolder},
      {.name = "jobs",
       .target = &options->jobs,
       .help = "Runs at the same time",
       .range = {1, 1024},
       .default_text = "all cores; 1 unless linear"},
      {.name = "shard",
       .target = &options->shard,
       .help = "Do the i-th of n parts of the grid",
       .hint = "i/n"},
      {.name = "resume",
       .target = &options->resume,
       .help = "Do what is missing, as a sweep does without this flag, too",
       .excludes = {"overwrite"}},
      {.name = "overwrite",
       .target = &options->overwrite,
       .help = "Repeat runs that are finished",
       .consent = true},
      {.name = "checkpoint-every",
       .target = &options->checkpoint_every,
       .help = "Steps between a run's checkpoints",
       .hint = "STEPS",
       .default_text = "by time, every 10 s at most"},
      threads_flag(options->common)};
  verb.flags.insert(verb.flags.end(), more.begin(), more.end());
  const std::vector<Flag> shared = cluster_flags(options->cluster);
  verb.flags.insert(verb.flags.end(), shared.begin(), shared.end());
  return verb;
}

}  // namespace spml::cli
