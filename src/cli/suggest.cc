// spml suggest
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "base/fail.h"
#include "base/folders.h"
#include "base/text.h"
#include "cli/flags/common_flags.h"
#include "cli/print_json.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "formats/csv.h"
#include "report/simulation_page.h"
#include "suggest/simulate.h"
#include "suggest/suggest.h"

namespace spml::cli {
namespace {

constexpr size_t kDefaultTop = 2000;

struct Options {
  Common common;
  std::string run, data, out, sort = "score";
  uint64_t folds = 5, budget = 4000, every = 500;
  std::optional<uint64_t> top, per_class;
  std::optional<double> min_score;
  bool simulate = false, force = false;
};

SuggestEvents events_for(Progress& progress, bool quiet) {
  catch_interrupt();
  SuggestEvents events;
  events.model = [&progress](size_t done, size_t total) { progress.update(done, total); };
  events.notice = [quiet](const std::string& text) {
    if (!quiet) notice(text);
  };
  events.stop_requested = interrupted;
  return events;
}

std::string row_name(const Dataset& data, int32_t row) {
  const NpyArray& images = data.train_file.images;
  return images.empty() ? std::to_string(row) : images.text(static_cast<size_t>(row));
}

void write_list(const Options& options, const Dataset& data, const Suggestions& found, bool csv) {
  AtomicFile file(options.out);
  if (csv) file.write("image_or_row,class,score,rank\n");
  size_t rank = 0;
  for (const Suggestion& one : found.list) {
    const std::string name = row_name(data, one.row);
    const std::string& label = data.classes[static_cast<size_t>(one.label)];
    ++rank;
    if (csv) {
      file.write(fmt::format("{},{},{},{}\n", csv_field(name), csv_field(label), one.score, rank));
      continue;
    }
    Json json;
    json["image_or_row"] = name;
    json["row"] = one.row;
    json["class"] = label;
    json["score"] = one.score;
    json["rank"] = rank;
    file.write(json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  }
  file.commit();
}

void print_found(const Options& options, const Suggestions& found) {
  if (options.common.json) {
    Json json;
    json["expected_missing"] = found.expected_missing;
    json["listed"] = found.list.size();
    json["per_class"] = Json::array();
    for (const ClassSuggestions& one : found.per_class) {
      json["per_class"].push_back({{"class", one.name},
                                   {"known", one.known},
                                   {"expected_missing", one.expected_missing},
                                   {"listed", one.listed}});
    }
    json["out"] = options.out;
    print_json(json);
    return;
  }
  fmt::print("{:<24} {:>8} {:>18} {:>8}\n", "class", "known", "expected missing", "listed");
  for (const ClassSuggestions& one : found.per_class) {
    fmt::print("{:<24} {:>8} {:>18.1f} {:>8}\n", printable(one.name), one.known,
               one.expected_missing, one.listed);
  }
  fmt::print("\nabout {:.0f} labels are missing; {} suggestions written to {}\n",
             found.expected_missing, found.list.size(), options.out);
}

Dataset open(const Options& options, const TrainedModel& run) {
  DatasetOptions data_options;
  data_options.need_features = data_options.load_features = !run.is_fine_tuned();
  data_options.threads = options.common.threads;
  return open_dataset(options.data, data_options);
}

void list_suggestions(const Options& options) {
  const std::string extension = Path(options.out).extension().string();
  if (extension != ".csv" && extension != ".jsonl") {
    fail_usage("--out: expected a name ending in .csv or .jsonl, found '{}'", options.out);
  }
  TrainedModel run = load_trained_model(options.run, options.common.threads);
  check_can_suggest(run, options.folds);
  const Dataset data = open(options, run);
  SuggestOptions suggest_options;
  suggest_options.folds = options.folds;
  suggest_options.threads = options.common.threads;
  RankingOptions& ranking = suggest_options.ranking;
  ranking.order = suggest_order_from(options.sort);
  ranking.top = options.top;
  ranking.min_score = options.min_score;
  ranking.per_class = options.per_class;
  ranking.seed = run.config.seed;
  if (!options.top && !options.min_score && !options.per_class) ranking.top = kDefaultTop;
  Suggestions found;
  {
    Progress progress("suggest", "models", options.common.quiet);
    found = suggest(data, run, suggest_options, events_for(progress, options.common.quiet));
  }
  write_list(options, data, found, extension == ".csv");
  print_found(options, found);
}

void print_rounds(const Simulation& simulation) {
  fmt::print(
      "{} rows, {} unknown labels, {} of them hidden positives\n\n"
      "{:>8}   {:^26}   {:^26}   {:^26}\n",
      simulation.rows, simulation.unknown, simulation.hidden, "", "suggested", "random", "an");
  fmt::print("{:>8}", "answers");
  for (int i = 0; i < 3; ++i) fmt::print("   {:>7} {:>9} {:>8}", "found", "precision", "test MAP");
  fmt::print("\n");
  const auto percent = [](std::optional<double> value, double scale) {
    return value ? fmt::format("{:.1f}", scale * *value) : std::string("-");
  };
  for (size_t i = 0; i < simulation.rounds.size(); ++i) {
    fmt::print("{:>8}", simulation.rounds[i].answers);
    for (const auto* curve : {&simulation.rounds, &simulation.random, &simulation.an}) {
      const SimulationRound& round = (*curve)[i];
      fmt::print("   {:>6.1f}% {:>8}% {:>8}", 100 * round.found, percent(round.precision, 100),
                 round.test_map ? fmt::format("{:.2f}", *round.test_map) : "-");
    }
    fmt::print("\n");
  }
}

void run_simulation(const Options& options) {
  if (!options.out.empty() && Path(options.out).extension() != ".html") {
    fail_usage("--out: with --simulate, expected a name ending in .html, found '{}'", options.out);
  }
  if (options.folds == 0) fail_usage("--folds: --simulate retrains; expected at least 2, found 0");
  const TrainedModel run = load_trained_model(options.run, options.common.threads);
  check_can_suggest(run, options.folds);
  const Dataset data = open(options, run);
  check_fits(run, data);
  SimulateOptions simulate_options;
  simulate_options.folds = options.folds;
  simulate_options.budget = options.budget;
  simulate_options.every = options.every;
  simulate_options.threads = options.common.threads;
  Simulation simulation;
  {
    Progress progress("simulate", "models", options.common.quiet);
    simulation =
        simulate(data, run.config, simulate_options, events_for(progress, options.common.quiet));
  }
  if (!options.out.empty()) write_file(options.out, draw_simulation(simulation));
  if (options.common.json) {
    print_json_text(json_text(simulation));
    return;
  }
  print_rounds(simulation);
  if (!options.out.empty()) fmt::print("\nthe curves are in {}\n", options.out);
}

void suggest_labels(const Options& options) {
  if (!options.simulate && options.out.empty()) {
    fail_usage("--out: expected LIST.csv or LIST.jsonl to write the suggestions to");
  }
  if (!options.out.empty() && path_exists(options.out) && !options.force) {
    fail("{}: already exists; give --force to replace it", options.out);
  }
  if (options.simulate) {
    run_simulation(options);
  } else {
    list_suggestions(options);
  }
}

}  // namespace

Verb suggest_verb() {
  auto options = std::make_shared<Options>();
  return {
      .name = "suggest",
      .summary = "List labels that are probably missing",
      .description =
          "Ranks the unknown labels of the training file by the probability that they are there, "
          "and says how many are expected to be missing. Rows are scored by classifiers that were "
          "not trained on them. Full labels, where there are some, are not looked at.\n\n"
          "With --simulate, a reviewer who knows the full labels answers the questions in order: "
          "how many answers find how many of the hidden labels, and the test MAP of a classifier "
          "trained on them, beside a random order and beside `an`.",
      .examples = {{"spml suggest run mydata --out missing.csv",
                    "The 2,000 labels most likely to be missing"},
                   {"spml suggest run mydata --per-class 50 --sort uncertainty --out ask.jsonl",
                    "Fifty of each class, the least certain"},
                   {"spml suggest run voc12 --simulate --out curves.html",
                    "What a review would find, on data with full labels"}},
      .positionals = {run_folder(options->run), data_folder(options->data)},
      .flags = {{.name = "folds",
                 .target = &options->folds,
                 .help = "Classifiers trained with the run's settings, each on all rows but its "
                         "fold; 0: the run itself scores",
                 .range = {.min = 0, .max = 1000}},
                {.name = "top",
                 .target = &options->top,
                 .help = "List so many",
                 .range = {.min = 1, .max = 1e9},
                 .default_text = "2000",
                 .excludes = {"min-score", "per-class", "simulate"}},
                {.name = "min-score",
                 .target = &options->min_score,
                 .help = "List those with at least this probability",
                 .hint = "S",
                 .range = {.min = 0, .max = 1},
                 .excludes = {"per-class", "simulate"}},
                {.name = "per-class",
                 .target = &options->per_class,
                 .help = "List so many of each class",
                 .range = {.min = 1, .max = 1e9},
                 .excludes = {"simulate"}},
                {.name = "sort",
                 .target = &options->sort,
                 .help = "Most likely first, closest to one half first, or at random",
                 .choices = {"score", "uncertainty", "random"}},
                {.name = "simulate",
                 .target = &options->simulate,
                 .help = "Answer from the full labels instead, and show what is found"},
                {.name = "budget",
                 .target = &options->budget,
                 .help = "Answers to simulate",
                 .range = {.min = 1, .max = 1e9},
                 .needs = {{"simulate", ""}}},
                {.name = "every",
                 .target = &options->every,
                 .help = "Answers after which classifiers are trained again",
                 .range = {.min = 1, .max = 1e9},
                 .needs = {{"simulate", ""}}},
                {.name = "out",
                 .target = &options->out,
                 .help = "The list: .csv or .jsonl; with --simulate a page of its curves: .html",
                 .hint = "LIST",
                 .complete = Complete::kFile},
                {.name = "force",
                 .target = &options->force,
                 .help = "Replace the file if it exists",
                 .consent = true},
                threads_flag(options->common)},
      .common = &options->common,
      .run = [options] { suggest_labels(*options); }};
}

}  // namespace spml::cli
