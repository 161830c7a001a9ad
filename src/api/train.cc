// include/spml/linear.h: training, in memory or into a run folder.
#include <chrono>

#include "api/classifier_state.h"
#include "api/folder_state.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/parallel.h"
#include "fit/fit.h"
#include "fit/observed_k.h"
#include "run/run.h"
#include "search/auto.h"
#include "settings/settings.h"

namespace spml {
namespace {

// Ranges are those of the settings' table.
void check(const TrainConfig& config) {
  for (const Setting& setting : all_settings()) {
    const std::string text = text_of(setting, config);
    if (setting.group == SettingGroup::kImages || setting.name == std::string_view("param") ||
        text.empty()) {
      continue;
    }
    TrainConfig copy = config;
    set(setting, copy, text, setting.name);
  }
}

bool is_auto(const TrainOptions& options) {
  return options.loss.object() == nullptr && options.loss.name() == kAutoLoss;
}

TrainConfig config_of(const TrainOptions& options) {
  TrainConfig config;
  config.loss = is_auto(options) ? "an" : options.loss.name();  // any, where a search finds it
  if (options.loss.object() != nullptr) {
    if (!options.params.empty()) {
      fail_usage("params belong to a loss given by name; found '{}' beside a loss object",
                 options.params.begin()->first);
    }
    config.own_loss = std::make_shared<OwnLoss>(options.loss.object());
  }
  static_cast<TrainSettings&>(config) = options;
  check(config);
  return config;
}

// What a search chooses cannot be given with it, and what only a search has is not given without.
void check_search(const TrainOptions& options) {
  if (!is_auto(options)) {
    if (options.trials || options.time_limit || options.refit) {
      fail_usage("trials, time_limit and refit apply only to the search; drop the loss");
    }
    return;
  }
  const TrainConfig config = config_of(options);
  for (const Setting& setting : all_settings()) {
    if (!setting.searched || setting.name == std::string_view("loss")) continue;
    if (is_set(setting, config)) {
      fail_usage("{}: the search chooses it; give a loss to choose yourself", record_key(setting));
    }
  }
}

int threads_of(const TrainOptions& options) {
  if (options.threads < 0) {
    fail_usage("threads: expected at least 0, which is all cores, found {}", options.threads);
  }
  return options.threads > 0 ? options.threads : hardware_threads();
}

bool stop_requested(const TrainOptions& options) {
  return options.stop.stop_requested() || (options.stop_requested && options.stop_requested());
}

RunEvents events_of(const TrainOptions& options) {
  RunEvents events;
  events.epoch = options.on_epoch;
  events.notice = options.on_notice;
  events.stop_requested = [&options] { return stop_requested(options); };
  if (options.on_step) {
    events.step = [&options](const LoopState& state, uint64_t total) {
      options.on_step({state.step, total, static_cast<int>(state.epochs.size()) + 1});
    };
  }
  return events;
}

// A search has trials and no steps.
RunEvents without_steps(RunEvents events) {
  events.step = nullptr;
  return events;
}

AutoOptions auto_options(const TrainOptions& options) {
  AutoOptions search;
  search.run.out = options.out;
  search.run.existing = options.existing;
  search.run.threads = threads_of(options);
  search.trials = options.trials.value_or(kDefaultTrials);
  search.time_limit = options.time_limit;
  search.refit = options.refit;
  return search;
}

// The configuration with everything that is to be found out: by a search, or k alone.
TrainConfig completed(const Dataset& data, const TrainOptions& options, const RunEvents& events) {
  const TrainConfig config = config_of(options);
  if (is_auto(options)) {
    return search_settings(data, config, auto_options(options), without_steps(events)).chosen;
  }
  return needs_estimated_k(data, config)
             ? with_estimated_k(data, config, threads_of(options), events)
             : config;
}

LinearClassifier train_in_memory(const Dataset& data, const TrainOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const RunEvents events = events_of(options);
  Session session(data, completed(data, options, events), threads_of(options));
  for (const std::string& text : session.prepared.notices) {
    if (events.notice) events.notice(text);
  }
  Fit made = fit(session, reporting(session, events, "stopped; nothing is kept"), events);
  std::optional<SearchRequest> search;
  if (is_auto(options)) {
    search = SearchRequest{options.trials.value_or(kDefaultTrials), options.time_limit,
                           options.refit, options.k};
  }
  const auto whole = search && search->refit ? refit(session, made, events) : nullptr;
  const Session& with_model = whole ? *whole : session;
  made.result.seconds = seconds_since(start);
  return LinearClassifier(state_of(session, dynamic_cast<const LinearModel&>(*with_model.model),
                                   std::move(made), search));
}

LinearClassifier train_in_folder(const Dataset& data, const TrainOptions& options) {
  const AutoOptions search = auto_options(options);
  const RunEvents events = events_of(options);
  if (is_auto(options)) {
    run_auto(data, config_of(options), search, without_steps(events));
  } else {
    run_training(data, config_of(options), search.run, events);
  }
  return LinearClassifier::load(options.out);
}

LinearClassifier train_on(const Dataset& data, const TrainOptions& options) {
  check_search(options);
  if (data.train_file.features.empty())
    fail("{}: expected features to train on, found none", data.name);
  return options.out.empty() ? train_in_memory(data, options) : train_in_folder(data, options);
}

}  // namespace

LinearClassifier train(const TrainingData& arrays, const TrainOptions& options) {
  Dataset data;
  data.name = "arrays";
  data.classes = arrays.classes;
  data.train_file.features = FeatureMatrix(arrays.features);
  data.train_file.observed = LabelMatrix(arrays.observed);
  data.train_file.truth = LabelMatrix(arrays.truth);
  data.test.features = FeatureMatrix(arrays.test_features);
  data.test.truth = LabelMatrix(arrays.test_truth);
  check_dataset(data, {.threads = threads_of(options)});
  return train_on(data, options);
}

LinearClassifier train(const DataFolder& folder, const TrainOptions& options) {
  return train_on(folder.state().data, options);
}

}  // namespace spml
