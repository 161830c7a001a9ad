// include/spml/linear.h: training, in memory or into a run folder.
#include <chrono>

#include "api/classifier_state.h"
#include "api/folder_state.h"
#include "base/fail.h"
#include "base/parallel.h"
#include "fit/average.h"
#include "fit/measure.h"
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
  config.params = options.params;
  config.estimator = options.estimator;
  config.k = options.k;
  config.lr = options.lr;
  config.batch = options.batch;
  config.epochs = options.epochs;
  config.patience = options.patience;
  config.weight_decay = options.weight_decay;
  config.transform = options.transform;
  config.val_fraction = options.val_fraction;
  config.split_seed = options.split_seed;
  config.subsample = options.subsample;
  config.select = options.select;
  config.observe = options.observe;
  config.record_unobserved_positives = options.record_unobserved_positives;
  config.seed = options.seed;
  check(config);
  return config;
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

void report_step(const TrainOptions& options, const LoopState& state, uint64_t total) {
  if (!options.on_step) return;
  options.on_step({state.step, total, static_cast<int>(state.epochs.size()) + 1});
}

LoopEvents loop_events(const TrainOptions& options, Session& session) {
  LoopEvents events;
  events.after_step = [&options, total = session.total_steps()](const LoopState& state) {
    report_step(options, state, total);
    if (stop_requested(options)) {
      throw Error(fmt::format("stopped after step {}", state.step), Error::Kind::kInterrupted);
    }
  };
  events.after_epoch = [&options, &session](EpochRecord& record) {
    if (session.config.record_unobserved_positives) {
      record.unobserved_positives = count_unobserved_positives(session);
    }
    if (options.on_epoch) options.on_epoch(record);
  };
  return events;
}

AutoOptions auto_options(const TrainOptions& options) {
  AutoOptions search;
  search.run.out = options.out;
  search.run.existing = options.existing;
  search.run.threads = threads_of(options);
  search.trials = options.trials;
  search.time_limit = options.time_limit;
  search.refit = options.refit;
  return search;
}

RunEvents search_events(const TrainOptions& options) {
  RunEvents events;
  events.notice = options.on_notice;
  events.stop_requested = [&options] { return stop_requested(options); };
  return events;
}

// The configuration with everything that is to be found out: by a search, or k alone.
TrainConfig completed(const Dataset& data, const TrainOptions& options) {
  const TrainConfig config = config_of(options);
  if (!is_auto(options)) {
    return with_estimated_k(data, config, threads_of(options), search_events(options));
  }
  return search_settings(data, config, auto_options(options), search_events(options)).chosen;
}

// What was chosen once more, on all rows, for as many epochs as were best.
void refit(const Dataset& data, const TrainOptions& options, TrainConfig config,
           ClassifierState& state) {
  config.refit = true;
  config.epochs = state.record.result.best_epoch;
  Session session(data, config, threads_of(options));
  LoopEvents events = loop_events(options, session);
  events.after_epoch = nullptr;
  session.train(events);
  average_classifiers(session, search_events(options));
  take_refit(state, session);
}

LinearClassifier train_in_memory(const Dataset& data, const TrainOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const TrainConfig config = completed(data, options);
  Session session(data, config, threads_of(options));
  for (const std::string& text : session.prepared.notices) {
    if (options.on_notice) options.on_notice(text);
  }
  session.train(loop_events(options, session));
  const double val_map = average_classifiers(session, search_events(options));
  RunResult result = measure(session);
  result.val_map = val_map;
  const auto state = state_of(session, std::move(result), search_events(options));
  if (is_auto(options)) {
    state->record.setup.search =
        SearchRequest{options.trials, options.time_limit, options.refit, options.k};
    if (options.refit) refit(data, options, config, *state);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  state->record.result.seconds = state->result.seconds = seconds.count();
  return LinearClassifier(state);
}

LinearClassifier train_in_folder(const Dataset& data, const TrainOptions& options) {
  const AutoOptions search = auto_options(options);
  RunEvents events;
  events.epoch = options.on_epoch;
  events.notice = options.on_notice;
  events.stop_requested = [&] { return stop_requested(options); };
  if (is_auto(options)) {
    run_auto(data, config_of(options), search, events);
  } else {
    events.step = [&](const LoopState& state, uint64_t total) {
      report_step(options, state, total);
    };
    run_training(data, config_of(options), search.run, events);
  }
  return LinearClassifier::load(options.out);
}

LinearClassifier train_on(const Dataset& data, const TrainOptions& options) {
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
