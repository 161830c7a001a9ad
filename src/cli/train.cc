// spml train
#include <fmt/core.h>

#include <memory>

#include "base/fail.h"
#include "base/text.h"
#include "cli/cluster.h"
#include "cli/expected.h"
#include "cli/flags/common_flags.h"
#include "cli/images.h"
#include "cli/print_json.h"
#include "cli/progress.h"
#include "cli/train_flags.h"
#include "cli/verbs.h"
#include "fit/row_share.h"
#include "run/run.h"
#include "search/auto.h"
#include "settings/presets.h"
#include "settings/settings.h"
#include "sweep/linear_start.h"

namespace spml::cli {
namespace {

struct TrainOptions {
  Common common;
  TrainFlags flags;
  ActivationFolder cache;
  std::string out;
  bool resume = false, overwrite = false;
  uint64_t checkpoint_every = 0;
  std::optional<uint64_t> trials;
  std::optional<double> time_limit;
  bool refit = false;
  ClusterFlags cluster;
  std::string shard_by = "labels", sync_every = "1";
  bool shard_data = false;
};

// The flags with a loss to fill in where a search is to find it; what it finds cannot be given.
TrainFlags with_a_loss(const TrainOptions& options) {
  TrainFlags flags = options.flags;
  if (!flags.is_auto()) {
    if (options.refit || options.time_limit || options.trials) {
      fail_usage("--trials, --time-limit and --refit apply only to the search; drop --loss");
    }
    return flags;
  }
  const GridValues given = flags.given();
  for (const Setting& setting : all_settings()) {
    const std::string name = setting.name;
    const bool is_given = name == "param" ? !given.params.empty() : given.settings.contains(name);
    if (!setting.searched || name == "loss" || !is_given) continue;
    fail_usage("--{}: the search chooses it; give --loss NAME to choose yourself", name);
  }
  flags.values.settings["loss"] = {"an"};
  return flags;
}

std::string map_text(const std::optional<double>& value) {
  return value ? fmt::format("{:5.2f}", *value) : "  n/a";
}

// What was chosen beside the loss and its steps, but for the transform: in words, each after two
// spaces.
std::string choice_text(const TrainConfig& chosen) {
  std::string text;
  for (const Setting& setting : all_settings()) {
    const std::string value = text_of(setting, chosen);
    if (*setting.said == '\0' || !is_set(setting, chosen)) continue;
    text += "  " + fmt::format(fmt::runtime(setting.said), value);
  }
  return text;
}

void print_result(const RunRecord& record, const std::string& out, bool search) {
  const RunResult& result = record.result;
  TrainConfig trained;
  trained.loss = result.loss;
  trained.mode = result.mode;
  if (!takes_steps(trained)) {
    fmt::print("loss {}  solved for, without steps\n", printable(result.loss));
  } else {
    fmt::print("loss {}  lr {:g}  batch {}  seed {}  best epoch {} of {}\n", printable(result.loss),
               result.lr, result.batch, result.seed, result.best_epoch, result.epochs);
  }
  const TrainConfig chosen = result.settings.value_or(TrainConfig());
  const std::string choice = choice_text(chosen);
  if (search || chosen.transform != TransformKind::kNone || !choice.empty()) {
    fmt::print("transform {}{}{}\n", to_string(chosen.transform), choice,
               result.refit ? "  trained once more on train and val" : "");
  }
  // MAP against labels of which most are unknown says little of any use.
  const bool observed = result.selected_on == "observed" && result.expected;
  if (!observed || result.test_map) {
    fmt::print("MAP  val {}  test {}  train {}\n", map_text(result.val_map),
               map_text(result.test_map), map_text(result.train_map));
  }
  if (observed) print_expected(*result.expected, record.setup.classes);
  // Of a search most of the training is in its trials; what was resumed has trained before.
  const bool is_whole = !search && result.resumed_from_step == 0;
  fmt::print("{:.2f} s{}; written to {}\n", result.seconds,
             is_whole ? fmt::format(", of which training {:.2f} s", result.train_seconds) : "",
             out);
}

// The rows of this rank, where the ranks are to have rows of their own.
std::optional<RowShare> shared_rows(const TrainOptions& options,
                                    const std::shared_ptr<const Dataset>& data, TrainConfig& config,
                                    const RunEvents& events) {
  Cluster* const cluster = joined_cluster();
  if (cluster == nullptr || options.shard_by != "rows") return std::nullopt;
  config.shard_by = options.shard_by;
  config.sync_every = options.sync_every;
  return share_rows(data, config, *cluster, options.shard_data, options.common.threads,
                    events.notice);
}

void check_shards(const TrainOptions& options) {
  const bool rows = options.shard_by == "rows";
  if (!rows && (options.sync_every != "1" || options.shard_data)) {
    fail_usage("--sync-every and --shard-data are of --shard-by rows; give it, or leave them out");
  }
  if (rows && options.flags.is_auto()) {
    fail_usage("--shard-by rows: the search deals out whole trials; give --loss NAME");
  }
}

// Ranks may share a folder, or have one each on a disk of their own.
void clear_in_turn(const ActivationFolder& cache) {
  Cluster* const cluster = joined_cluster();
  if (cluster == nullptr) return clear_activations(cache);
  for (int rank = 0; rank < cluster->size(); ++rank) {
    cluster->wait_for_all();
    if (rank == cluster->rank()) clear_activations(cache);
  }
}

void train(const TrainOptions& options) {
  RunOptions run;  // its time begins here
  check_shards(options);
  const TrainFlags flags = with_a_loss(options);
  check(flags);
  DatasetOptions data_options;
  data_options.need_features = data_options.load_features = flags.needs_features();
  data_options.threads = options.common.threads;
  const auto data = std::make_shared<const Dataset>(open_dataset(options.flags.data, data_options));
  std::vector<TrainConfig> configs = expand(flags, data->labels());
  if (configs.size() != 1) fail_usage("--param: expected one value; `spml sweep` takes lists");
  TrainConfig& config = configs.front();

  run.out = options.out;
  run.existing = options.resume      ? Existing::kResume
                 : options.overwrite ? Existing::kOverwrite
                                     : Existing::kRefuse;
  run.threads = options.common.threads;
  run.checkpoint_every = options.checkpoint_every;
  run.cluster = joined_cluster();
  const ActivationFolder cache = with_default(options.cache, options.out);
  const auto tell = [&](const std::string& text) {
    if (!options.common.quiet) notice(text);
  };
  if (config.mode != Mode::kLinear) {
    run.make_image_model = image_model_maker(config.image.device, cache, tell);
    run.linear_starts = linear_starts();
  }

  if (!options.flags.preset.empty() && !options.common.quiet) {
    const Preset& preset = find_preset(options.flags.preset);
    notice(fmt::format("{}: {}. {}", preset.name, preset.summary, preset.evidence));
  }
  catch_interrupt();
  const bool search = options.flags.is_auto();
  Progress progress(search ? "search" : "train " + config.loss, search ? "trials" : "steps",
                    options.common.quiet);
  std::string note;
  RunEvents events;
  events.notice = tell;
  events.step = [&](const LoopState& state, uint64_t total) {
    progress.update(state.step, total, note);
  };
  events.epoch = [&](const EpochRecord& record) {
    note = fmt::format("epoch {}  loss {:.4f}  val MAP {:.2f}", record.epoch, record.train_loss,
                       record.val_map);
  };
  events.stop_requested = interrupted;
  RunRecord record;
  if (search) {
    AutoOptions automatic{run, options.trials.value_or(kDefaultTrials), options.time_limit,
                          options.refit};
    record = run_auto(*data, config, automatic, events);
  } else {
    const std::optional<RowShare> share = shared_rows(options, data, config, events);
    if (share) run.rows = &*share;
    record = run_training(share ? *share->data : *data, config, run, events);
  }
  if (config.mode != Mode::kLinear) clear_in_turn(cache);
  if (options.common.json) {
    print_json_text(json_text(record.result));
  } else {
    print_result(record, options.out, search);
  }
}

}  // namespace

Verb train_verb() {
  auto options = std::make_shared<TrainOptions>();
  Verb verb{
      .name = "train",
      .summary = "Train one classifier",
      .description =
          "Without --loss, a search chooses loss, transform, step size and weight decay by the "
          "validation rows: by their full labels where there are some, else by the observed ones.",
      .examples = {{"spml train mydata --out run", "The settings chosen by a search"},
                   {"spml train voc12 --loss role --out run",
                    "ROLE on the features of a data folder"},
                   {"spml train voc12 --preset voc12-one-label --seed 1 --out best",
                    "A recipe, with another seed"},
                   {"spml train voc12 --loss role --out run --resume", "Continue after Ctrl-C"}},
      .common = &options->common,
      .cluster = &options->cluster,
      .run = [options] { train(*options); }};
  add_train_flags(verb, options->flags, false);
  add_cache_flags(verb.flags, options->cache);
  const std::vector<Flag> more = {{.name = "out",
                                   .target = &options->out,
                                   .help = "The run folder",
                                   .hint = "RUN",
                                   .required = true,
                                   .complete = Complete::kFolder},
                                  {.name = "resume",
                                   .target = &options->resume,
                                   .help = "Continue an interrupted run",
                                   .excludes = {"overwrite"}},
                                  {.name = "overwrite",
                                   .target = &options->overwrite,
                                   .help = "Replace what is in the run folder",
                                   .consent = true},
                                  {.name = "checkpoint-every",
                                   .target = &options->checkpoint_every,
                                   .help = "Steps between checkpoints",
                                   .hint = "STEPS",
                                   .default_text = "by time, every 10 s at most"},
                                  {.name = "trials",
                                   .target = &options->trials,
                                   .help = "Runs that the search may train",
                                   .hint = "N",
                                   .range = {1, 100000},
                                   .default_text = std::to_string(kDefaultTrials)},
                                  {.name = "time-limit",
                                   .target = &options->time_limit,
                                   .help = "Seconds after which the search starts no more runs; "
                                           "its result then depends on the machine",
                                   .hint = "SECONDS",
                                   .range = kPositive},
                                  {.name = "refit",
                                   .target = &options->refit,
                                   .help = "Train the chosen settings once more, on train and val"},
                                  threads_flag(options->common)};
  verb.flags.insert(verb.flags.end(), more.begin(), more.end());
  verb.flags.push_back({.name = "shard-by",
                        .target = &options->shard_by,
                        .help = "What each of several ranks has a part of (docs/cluster.md)",
                        .choices = {"labels", "rows"}});
  verb.flags.push_back({.name = "sync-every",
                        .target = &options->sync_every,
                        .help = "With --shard-by rows: sum gradients in every step (1), or average "
                                "weights after so many local steps; auto measures",
                        .hint = "1|STEPS|auto"});
  verb.flags.push_back({.name = "shard-data",
                        .target = &options->shard_data,
                        .help = "With --shard-by rows: the data folder of each rank has its own "
                                "rows only"});
  const std::vector<Flag> shared = cluster_flags(options->cluster);
  verb.flags.insert(verb.flags.end(), shared.begin(), shared.end());
  return verb;
}

}  // namespace spml::cli
