// spml reproduce
#include "experiment/reproduce.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "base/fail.h"
#include "cli/images.h"
#include "cli/options.h"
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
  int seeds = 0, jobs = 0;
  bool resume = false, overwrite = false;
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
  if (options.resume && options.overwrite) {
    fail_usage("--resume and --overwrite exclude each other");
  }
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
  const bool images = parsed.mode.value_or(Mode::kLinear) != Mode::kLinear;
  if (options.seeds > 0) parsed.seeds = options.seeds;
  parsed.jobs = options.jobs > 0 ? options.jobs : images ? 1 : options.common.threads;
  parsed.threads = std::max(1, options.common.threads / parsed.jobs);
  parsed.overwrite = options.overwrite;
  return parsed;
}

void run(const Options& options) {
  ReproduceOptions parsed = parse(options);
  const Experiment experiment = load_experiment(options.experiment);
  const Mode mode = parsed.mode.value_or(experiment.modes.front());
  const bool known = std::ranges::find(experiment.modes, mode) != experiment.modes.end();
  if (known && mode != Mode::kLinear) {
    parsed.image.weights = options.weights;
    parsed.image.size = options.size;
    complete(parsed.image);
    parsed.make_image_model = image_model_maker();
  }
  catch_interrupt();
  Json result;
  {
    Progress progress("reproduce " + experiment.name, "runs", options.common.quiet);
    SweepEvents events;
    events.run_done = [&](const Json& run, size_t done, size_t total) {
      progress.update(
          done, total,
          fmt::format("{} lr {:g}", run["loss"].get<std::string>(), run["lr"].get<double>()));
    };
    events.stop_requested = interrupted;
    result = reproduce(experiment, parsed, events);
  }
  const ReproductionFolder folder{parsed.out};
  const std::string key = result_key(experiment, parsed.mode.value_or(experiment.modes.front()));
  write_file(folder.csv(key), experiment_csv(result));
  if (can_draw_pages()) write_file(folder.report(), draw_page(collect({folder.path})));
  if (options.common.json) {
    print_json(result);
    return;
  }
  fmt::print("{}\n{} runs in {:.1f} s: {}, {}", experiment_text(result),
             result["runs"].get<size_t>(), result["seconds"].get<double>(),
             folder.results().string(), folder.csv(key).string());
  if (can_draw_pages()) fmt::print(", {}", folder.report().string());
  fmt::print("\n");
}

}  // namespace

void add_reproduce(CLI::App& app) {
  CLI::App& verb =
      add_verb(app, "reproduce", "The paper's tables and figures on your data, beside its numbers");
  auto options = std::make_shared<Options>();
  std::string names;
  for (const std::string& name : paper_experiments()) names += (names.empty() ? "" : "|") + name;
  verb.add_option("experiment", options->experiment,
                  "One of the paper's (" + names + ") or a file of your own")
      ->required()
      ->type_name("NAME|FILE.json");
  verb.add_option("--data", options->data,
                  "A data set, NAME=DIR; the paper has voc12, coco, nus and cub. Can be repeated")
      ->required()
      ->type_name("NAME=DIR")
      ->allow_extra_args(false);
  verb.add_option("--out", options->out,
                  "Folder for runs and results; experiments that share it share their runs")
      ->required()
      ->type_name("OUT");
  verb.add_option("--mode", options->mode,
                  "linear, finetune or linear-init (default: the first "
                  "that the experiment has)")
      ->check(CLI::IsMember({"linear", "finetune", "linear-init"}));
  verb.add_option("--seeds", options->seeds,
                  "Seeds 0 ... n-1: mean and standard deviation (default: the experiment's)")
      ->check(CLI::Range(1, 1000));
  verb.add_option("--jobs", options->jobs, "Runs at the same time (default: all cores)")
      ->check(CLI::Range(1, 1024));
  verb.add_option("--weights", options->weights,
                  "finetune: where the network starts (default: what `spml weights fetch` made)")
      ->type_name("FILE.safetensors");
  verb.add_option("--size", options->size, "finetune: images are resized to SIZE x SIZE")
      ->check(CLI::Range(32, 4096))
      ->capture_default_str();
  verb.add_flag("--resume", options->resume, "Do what is missing; so does the verb without it");
  verb.add_flag("--overwrite", options->overwrite, "Do the runs again that are finished");
  add_threads(verb, options->common);
  add_json(verb, options->common);
  add_quiet(verb, options->common);
  verb.callback([options] { run(*options); });
}

}  // namespace spml::cli
