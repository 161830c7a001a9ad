// spml reproduce
#include "reproduce/reproduce.h"
#include "cli/flags/common_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/fail.h"
#include "base/text.h"
#include "cli/cluster.h"
#include "cli/images.h"
#include "cli/print_json.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "report/collect.h"
#include "report/experiment_text.h"
#include "report/page.h"

namespace spml::cli {
namespace {

struct Options {
  Common common;
  std::string experiment, out, mode, weights;
  int size = 448;
  std::vector<std::string> data;
  std::optional<int> seeds, jobs;
  bool resume = false, overwrite = false;
  ClusterFlags cluster;
};

// NAME=DIR; the name becomes a folder.
NamedData parse_data(const std::string& text) {
  const size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const bool ok = equals != std::string::npos && equals + 1 < text.size() && !name.empty() &&
                  name.front() != '.' &&
                  name.find_first_not_of(
                      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                      "0123456789._-") == std::string::npos;
  if (!ok) {
    fail_usage(
        "--data: expected NAME=DIR with a name of letters, digits, '.', '_' and '-', found "
        "'{}'",
        text);
  }
  return {name, text.substr(equals + 1)};
}

ReproduceOptions parse(const Options& options) {
  ReproduceOptions parsed;
  parsed.out = options.out;
  for (const std::string& text : options.data) {
    const NamedData named = parse_data(text);
    for (const NamedData& other : parsed.data) {
      if (other.name == named.name) fail_usage("--data {} is given twice", named.name);
    }
    parsed.data.push_back(named);
  }
  if (!options.mode.empty()) parsed.mode = mode_from(options.mode);
  if (options.seeds) parsed.seeds = *options.seeds;
  parsed.jobs = options.jobs.value_or(0);
  parsed.threads = options.common.threads;
  parsed.overwrite = options.overwrite;
  parsed.beside_others = options.resume || options.overwrite;
  parsed.cluster = joined_cluster();
  return parsed;
}

void run(const Options& options) {
  ReproduceOptions parsed = parse(options);
  const Experiment experiment = load_experiment(options.experiment);
  const Mode mode = parsed.mode.value_or(experiment.modes.front());
  const bool known = std::ranges::find(experiment.modes, mode) != experiment.modes.end();
  if (known && trains_networks(experiment, mode)) {
    parsed.image = paper_image_config();
    parsed.image.weights = options.weights;
    parsed.image.size = options.size;
    complete_weights(parsed.image);
    parsed.make_image_model = image_model_maker(parsed.image.device);
  }
  catch_interrupt();
  Reproduction all;
  {
    Progress progress("reproduce " + experiment.name, "runs", options.common.quiet);
    SweepEvents events;
    events.run_done = [&](const SweepRun& run, size_t done, size_t total) {
      const RunResult& result = run.record.result;
      progress.update(done, total, fmt::format("{} lr {:g}", result.loss, result.lr));
    };
    events.stop_requested = interrupted;
    all = reproduce(experiment, parsed, events);
  }
  if (!is_first_of(parsed.cluster)) return;
  const ReproductionFolder folder{parsed.out};
  const std::string key = result_key(experiment, mode);
  const ExperimentResult& result = all.experiments[key];
  write_file(folder.csv(key), experiment_csv(result));
  if (can_draw_pages()) write_file(folder.report(), draw_page(collect(folder.path, all)));
  if (options.common.json) {
    print_json_text(json_text(result));
    return;
  }
  fmt::print("{}\n{} runs in {:.1f} s: {}, {}", printable_lines(experiment_text(result)),
             result.runs, result.seconds, folder.results().string(),
             printable(folder.csv(key).string()));
  if (can_draw_pages()) fmt::print(", {}", folder.report().string());
  fmt::print("\n");
}

}  // namespace

Verb reproduce_verb() {
  auto options = std::make_shared<Options>();
  const std::vector<std::string> names = built_in_experiments();
  Verb verb = {
      .name = "reproduce",
      .summary = "The paper's tables and figures on your data, beside its numbers",
      .examples = {{"spml reproduce table1 --data voc12=DIR --out repro",
                    "The paper's first table on one data set"}},
      .positionals = {{.name = "EXPERIMENT",
                       .target = &options->experiment,
                       .help =
                           fmt::format("{}, or a file of your own (.json)", fmt::join(names, ", ")),
                       .offers = names,
                       .required = true,
                       .complete = Complete::kFile}},
      .flags = {{.name = "data",
                 .target = &options->data,
                 .help = "A data set; the paper's are called voc12, coco, nus and cub",
                 .hint = "NAME=DIR",
                 .required = true,
                 .complete = Complete::kFolder},
                {.name = "out",
                 .target = &options->out,
                 .help = "Folder for runs and results; experiments that share it share their runs",
                 .hint = "OUT",
                 .required = true,
                 .complete = Complete::kFolder},
                {.name = "mode",
                 .target = &options->mode,
                 .help = "What is trained",
                 .choices = {"linear", "finetune", "linear-init"},
                 .default_text = "the first that the experiment has"},
                {.name = "seeds",
                 .target = &options->seeds,
                 .help = "Seeds 0 ... n-1: mean and standard deviation",
                 .range = {1, 1000},
                 .default_text = "the experiment's"},
                {.name = "jobs",
                 .target = &options->jobs,
                 .help = "Runs at the same time",
                 .range = {1, 1024},
                 .default_text = "all cores; 1 when images are trained on"},
                {.name = "weights",
                 .target = &options->weights,
                 .help = "finetune: where the network starts",
                 .hint = "FILE.safetensors",
                 .default_text = "what `spml weights fetch` made",
                 .complete = Complete::kFile},
                {.name = "size",
                 .target = &options->size,
                 .help = "finetune: images are resized to SIZE x SIZE",
                 .range = {32, 4096}},
                {.name = "resume",
                 .target = &options->resume,
                 .help = "Do what is missing; the verb does so without this flag, too",
                 .excludes = {"overwrite"}},
                {.name = "overwrite",
                 .target = &options->overwrite,
                 .help = "Repeat runs that are finished",
                 .consent = true},
                threads_flag(options->common)},
      .common = &options->common,
      .cluster = &options->cluster,
      .run = [options] { run(*options); }};
  const std::vector<Flag> shared = cluster_flags(options->cluster);
  verb.flags.insert(verb.flags.end(), shared.begin(), shared.end());
  return verb;
}

}  // namespace spml::cli
