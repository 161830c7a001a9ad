// spml estimate-k
#include "data/estimate_k.h"
#include "cli/flags/common_flags.h"

#include <fmt/core.h>

#include <memory>

#include "base/fail.h"
#include "base/folders.h"
#include "base/text.h"
#include "cli/print_json.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "data/agreement.h"
#include "data/dataset.h"
#include "fit/observed_k.h"
#include "run/run_priors.h"

namespace spml::cli {
namespace {

struct Arguments {
  Common common;
  std::string folder;
  std::string from_observed;  // a run; empty: from full labels
  std::string second;         // another naming of the same rows
  KOptions options;
};

LabelMatrix open_truth(const Arguments& arguments) {
  LabelMatrix truth = open_labels(truth_file(arguments.folder, "train"));
  if (!truth.empty()) check_truth(truth, arguments.common.threads);
  return truth;
}

// From the scores of a run, or of classifiers trained for this purpose.
void run_from_observed(const Arguments& arguments) {
  const int threads = arguments.common.threads;
  const Dataset data = open_dataset(arguments.folder, {.need_features = true, .threads = threads});
  LabelFit fit;
  if (arguments.from_observed.empty()) {
    fit = estimate_k_from_observed(data, {}, threads);
  } else {
    TrainedModel trained = load_trained_model(arguments.from_observed, threads);
    check_fits(trained, data);
    fit = fit_run(trained, data, threads);
  }
  std::optional<double> true_k;
  if (!data.train_file.truth.empty()) {
    KOptions exact;
    exact.sizes = {};
    true_k = estimate_k(data.train_file.truth, exact).k;
  }
  if (arguments.common.json) {
    Json by_label = Json::object();  // names are distinct, so no lookup is needed
    auto& priors = by_label.get_ref<Json::object_t&>();
    for (size_t j = 0; j < fit.priors.size(); ++j) {
      priors.push_back({data.classes[j], fit.priors[j]});
    }
    print_json({{"k", fit.k},
                {"interval", {fit.k_low, fit.k_high}},
                {"certain", fit.k_is_certain},
                {"true_k", true_k ? Json(*true_k) : Json()},
                {"priors", by_label}});
    return;
  }
  fmt::print("from observed labels alone: {}\n", k_text(fit));
  if (true_k) {
    fmt::print("true k = {:.2f}: off by {:+.1f} %\n", *true_k, 100 * (fit.k / *true_k - 1));
  }
  fmt::print("\n{:<24}  share of rows\n", "label");
  for (size_t j = 0; j < fit.priors.size(); ++j) {
    fmt::print("{:<24}  {:.4f}\n", printable(data.classes[j]), fit.priors[j]);
  }
}

void run_from_second(const Arguments& arguments) {
  const Path path = observed_file(arguments.folder, "train");
  const LabelMatrix first = open_labels(path);
  if (first.empty()) {
    fail("{}: expected the first naming, found nothing of that name", path.string());
  }
  const LabelMatrix second = open_labels(arguments.second);
  if (second.empty()) {
    fail("{}: expected the second naming, found nothing of that name", arguments.second);
  }
  const AgreementK told = agreement_k(first, second);
  if (arguments.common.json) {
    print_json({{"k", told.k},
                {"interval", {told.k_low, told.k_high}},
                {"rows", told.rows},
                {"agreements", told.agreements}});
    return;
  }
  fmt::print("k = {:.2f} ({:.2f} to {:.2f}): two namings agree in {} of {} rows\n", told.k,
             told.k_low, told.k_high, told.agreements, told.rows);
  fmt::print("if both prefer the same labels, rows have more than that\n");
}

void run(const Arguments& arguments) {
  if (!arguments.second.empty()) return run_from_second(arguments);
  if (!arguments.from_observed.empty()) return run_from_observed(arguments);
  const LabelMatrix truth = open_truth(arguments);
  if (truth.empty()) {
    if (!path_exists(observed_file(arguments.folder, "train"))) {
      fail("{}: expected full labels ({}) or observed ones ({}), found neither", arguments.folder,
           truth_file("", "train").string(), observed_file("", "train").string());
    }
    if (!arguments.common.quiet) {
      notice("no full labels: estimating k from the observed ones");
    }
    return run_from_observed(arguments);
  }
  KOptions options = arguments.options;
  options.seed = arguments.common.seed;
  options.threads = arguments.common.threads;
  const KEstimate estimate = estimate_k(truth, options);
  if (arguments.common.json) {
    Json intervals = Json::object();
    for (const KInterval& interval : estimate.intervals) {
      intervals[std::to_string(interval.size)] = {interval.low, interval.high};
    }
    print_json({{"k", estimate.k}, {"intervals", intervals}});
    return;
  }
  fmt::print("k = {:.2f} over {} rows\n\n{:>8}  {:>6}  {:>6}\n", estimate.k, truth.rows(),
             "labelled", "5 %", "95 %");
  for (const KInterval& interval : estimate.intervals) {
    fmt::print("{:>8}  {:>6.2f}  {:>6.2f}\n", interval.size, interval.low, interval.high);
  }
}

}  // namespace

Verb estimate_k_verb() {
  auto arguments = std::make_shared<Arguments>();
  KOptions& options = arguments->options;
  return {
      .name = "estimate-k",
      .summary = "Estimate k from a few fully labelled rows, or from observed labels alone",
      .examples = {{"spml estimate-k DIR --sizes 5,10", "How well 5 or 10 labelled rows tell k"}},
      .positionals = {data_folder(arguments->folder)},
      .flags =
          {{.name = "from-observed",
            .target = &arguments->from_observed,
            .help =
                "Without full labels: estimate from observed positives and a trained classifier",
            .hint = "RUN",
            .complete = Complete::kFolder},
           {.name = "second",
            .target = &arguments->second,
            .help = "A second naming of the same rows, N x L, by somebody else: k from how often "
                    "the two agree",
            .hint = "FILE.npy",
            .complete = Complete::kFile,
            .excludes = {"from-observed"}},
           {.name = "sizes",
            .target = &options.sizes,
            .help = "Numbers of labelled rows",
            .range = kAtLeastOne,
            .commas = true},
           {.name = "trials",
            .target = &options.trials,
            .help = "Samples drawn for each size",
            .range = {1, 1e8}},
           {.name = "seed", .target = &arguments->common.seed, .help = "Seed of the samples"},
           threads_flag(arguments->common)},
      .common = &arguments->common,
      .run = [arguments] { run(*arguments); }};
}

}  // namespace spml::cli
