// spml train
#include <fmt/core.h>

#include <memory>

#include "base/fail.h"
#include "cli/images.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/train_flags.h"
#include "cli/verbs.h"
#include "experiment/presets.h"
#include "experiment/run.h"

namespace spml::cli {
namespace {

struct TrainOptions {
  Common common;
  TrainFlags flags;
  std::string out;
  bool resume = false, overwrite = false;
  uint64_t checkpoint_every = 0;
};

std::string map_text(const Json& value) {
  return value.is_null() ? "  n/a" : fmt::format("{:5.2f}", value.get<double>());
}

void print_result(const Json& result, const std::string& out) {
  fmt::print("loss {}  lr {:g}  batch {}  seed {}  best epoch {} of {}\n",
             result["loss"].get<std::string>(), result["lr"].get<double>(),
             result["batch"].get<size_t>(), result["seed"].get<uint64_t>(),
             result["best_epoch"].get<int>(), result["epochs"].get<int>());
  fmt::print("MAP  val {}  test {}  train {}\n", map_text(result["val_map"]),
             map_text(result["test_map"]), map_text(result["train_map"]));
  fmt::print("{:.2f} s, of which training {:.2f} s; written to {}\n",
             result["seconds"].get<double>(), result["train_seconds"].get<double>(), out);
}

void train(const TrainOptions& options) {
  if (options.resume && options.overwrite)
    fail_usage("--resume and --overwrite exclude each other");
  check_image_flags(options.flags);
  DatasetOptions data_options;
  data_options.need_features = data_options.load_features = options.flags.needs_features();
  data_options.threads = options.common.threads;
  const Dataset data = open_dataset(options.flags.data, data_options);
  const TrainConfig config = expand(options.flags, data.labels(), {}, {16}).front();

  RunOptions run;
  run.out = options.out;
  run.existing = options.resume      ? Existing::kResume
                 : options.overwrite ? Existing::kOverwrite
                                     : Existing::kRefuse;
  run.threads = options.common.threads;
  run.checkpoint_every = options.checkpoint_every;
  run.make_image_model = image_model_maker();

  if (!options.flags.preset.empty() && !options.common.quiet) {
    const Preset& preset = find_preset(options.flags.preset);
    notice(fmt::format("{}: {}. {}", preset.name, preset.summary, preset.evidence));
  }
  catch_interrupt();
  Progress progress("train " + config.loss, "steps", options.common.quiet);
  std::string note;
  RunEvents events;
  events.notice = [&](const std::string& text) {
    if (!options.common.quiet) notice(text);
  };
  events.step = [&](const LoopState& state, uint64_t total) {
    progress.update(state.step, total, note);
  };
  events.epoch = [&](const EpochRecord& record) {
    note = fmt::format("epoch {}  loss {:.4f}  val MAP {:.2f}", record.epoch, record.train_loss,
                       record.val_map);
  };
  events.stop_requested = interrupted;
  const Json result = run_training(data, config, run, events);
  if (options.common.json) {
    print_json(result);
  } else {
    print_result(result, options.out);
  }
}

}  // namespace

void add_train(CLI::App& app) {
  CLI::App& verb = add_verb(app, "train", "Train one classifier");
  auto options = std::make_shared<TrainOptions>();
  add_train_flags(verb, options->flags, false);
  verb.add_option("--out", options->out, "The run folder")->required()->type_name("RUN");
  verb.add_flag("--resume", options->resume, "Go on with an interrupted run");
  verb.add_flag("--overwrite", options->overwrite, "Replace what is in the run folder");
  verb.add_option("--checkpoint-every", options->checkpoint_every,
                  "Steps between checkpoints (default: every 10 s at most)")
      ->type_name("STEPS");
  add_threads(verb, options->common);
  add_json(verb, options->common);
  add_quiet(verb, options->common);
  verb.callback([options] { train(*options); });
}

}  // namespace spml::cli
