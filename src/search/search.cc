#include "search/search.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <sstream>

#include "base/clock.h"
#include "base/fail.h"
#include "cluster/deal.h"
#include "fit/average.h"
#include "fit/decisions.h"
#include "fit/folds.h"
#include "fit/measure.h"
#include "fit/observed_k.h"
#include "fit/short_runs.h"
#include "fit/train.h"
#include "formats/json_fields.h"
#include "ridge/least_squares.h"
#include "search/candidates.h"
#include "search/journal.h"
#include "search/trial_fields.h"
#include "settings/config_words.h"

namespace spml {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kScreenRows = 10000;  // training rows of a short run, at most about so many
// Rows x features x labels, over all splits of a trial: on large data one split has to do.
constexpr double kScreenWork = 1e8, kFinalWork = 3e8;
constexpr size_t kFinalsOfALoss = 2;
// Solving for a classifier takes the square of the smaller of features and rows times the larger.
// That much is always affordable; beyond kMostSolved trials side by side take too much memory.
constexpr size_t kMostSolved = 8192;
constexpr double kMatrixWork = 6.0 * 4096 * 4096 * 4096;
constexpr size_t kBlends = 3;
constexpr double kHardlyWorse = 0.01;  // of a score: less than chance makes of it
constexpr double kDecay = 1e-4;        // of the weights
constexpr int kAverage = 3;            // of the chosen settings; more seeds add little

struct Trial {
  TrainConfig config;
  SearchTrial record;

  double score() const { return record.score.value_or(-1e300); }
};

void check_trials(const AutoOptions& options) {
  if (options.trials == 0) fail_usage("--trials: expected at least 1, found 0");
}

class Search {
 public:
  Search(const Dataset& data, const TrainConfig& base, const AutoOptions& options,
         const RunEvents& events, SearchJournal* journal = nullptr)
      : data_(data), base_(base), options_(options), events_(events), journal_(journal) {
    check_trials(options);
  }

  // The settings that validation prefers.
  TrainConfig choose();
  const std::vector<Trial>& trials() const { return trials_; }

 private:
  void find_k();
  void screen();
  void finals();
  void blend();
  const Trial& best() const;
  void run(const std::vector<TrainConfig>& configs, const char* stage);
  void add(const TrainConfig& config, const char* stage);
  void note(const Trial& trial);
  void join(size_t first, const std::vector<uint8_t>& mine);
  void train(Trial& trial) const;
  std::vector<const Trial*> ranked(const char* stage) const;
  std::vector<Split> affordable(std::vector<Split> splits, double work) const;
  double seconds() const;  // with what it had taken before it was interrupted
  bool out_of_time() const;
  size_t left() const { return options_.trials - std::min(options_.trials, trials_.size()); }

  const Dataset& data_;
  TrainConfig base_;
  const AutoOptions& options_;
  const RunEvents& events_;
  SearchJournal* journal_;  // null where nothing is kept
  Clock::time_point start_ = Clock::now();
  double k_ = 1;            // of the criterion
  bool can_solve_ = false;  // whether solving for a classifier takes no longer than training one
  std::vector<Split> screen_splits_, final_splits_;
  std::vector<Trial> trials_;
};

double Search::seconds() const {
  return seconds_since(start_) + (journal_ != nullptr ? journal_->seconds() : 0);
}

bool Search::out_of_time() const {
  return options_.time_limit && seconds() >= *options_.time_limit;
}

std::vector<Split> Search::affordable(std::vector<Split> splits, double work) const {
  const FeatureMatrix& features = data_.train_file.features;
  const double each = static_cast<double>(features.rows()) * static_cast<double>(features.cols()) *
                      static_cast<double>(data_.labels());
  const double most = std::clamp(work / each, 1.0, static_cast<double>(splits.size()));
  splits.resize(static_cast<size_t>(most));
  return splits;
}

void Search::find_k() {
  if (!resolve_k(data_, base_)) {
    base_ = with_estimated_k(data_, base_, options_.run.threads, events_);
  }
  k_ = *resolve_k(data_, base_);
}

// Trained on one split, or, where a split holds out few rows, on several; the score is their mean.
void Search::train(Trial& trial) const {
  const bool whole = trial.record.stage == "final";
  const LoopEvents loop_events =
      until(events_.stop_requested, journal_ != nullptr
                                        ? "stopped during the search; continue with --resume"
                                        : "stopped during the search; start it again");
  const auto& splits = whole ? final_splits_ : screen_splits_;
  double sum = 0;
  for (const Split& split : splits) {
    Session session(data_, trial.config, 1, std::nullopt, ImageModelMaker(), &split);
    spml::train(session, loop_events);
    const double val_map = average_classifiers(session, events_, &split);
    const bool full = session.prepared.validates_on_full_labels();
    sum += full ? val_map : 100 * observed_criterion(session, k_);
    if (&split == splits.data()) {
      trial.record.best_epoch = session.loop.state().best_epoch;
      trial.record.val_map = val_map;
    }
  }
  if (!std::isfinite(sum)) fail("expected a finite score on the validation rows, found {}", sum);
  trial.record.score = sum / static_cast<double>(splits.size());
}

// A trial to run, unless the journal has it.
void Search::add(const TrainConfig& config, const char* stage) {
  Trial trial{config, {.trial = trials_.size() + 1, .stage = stage, .config = config}};
  if (!takes_steps(config)) trial.record.config.epochs = 1;
  if (journal_ != nullptr) {
    if (auto known = journal_->find(trial.record)) trial.record = std::move(*known);
  }
  trials_.push_back(std::move(trial));
}

void Search::note(const Trial& trial) {
  if (journal_ != nullptr) journal_->add(trial.record, seconds());
}

// Trials side by side; one that fails is no candidate.
void Search::run(const std::vector<TrainConfig>& configs, const char* stage) {
  const size_t first = trials_.size();
  for (const TrainConfig& config : configs) add(config, stage);
  std::vector<size_t> missing;
  for (size_t i = first; i < trials_.size(); ++i) {
    if (!trials_[i].record.score && trials_[i].record.error.empty()) missing.push_back(i);
  }
  std::atomic<size_t> done = trials_.size() - missing.size();
  std::vector<uint8_t> mine(configs.size());
  deal_out(options_.run.cluster, missing.size(), options_.run.threads, [&](size_t m) {
    const size_t i = missing[m] - first;
    mine[i] = 1;
    Trial& trial = trials_[first + i];
    // The first of the whole runs is always done, so that there is one to choose.
    const bool needed = i == 0 && trial.record.stage == "final";
    if (out_of_time() && !needed) {
      trial.record.error = "not started: --time-limit";
      note(trial);  // what is tried next depends on that, too
      return;
    }
    try {
      train(trial);
    } catch (const Error& error) {
      if (error.kind() == Error::Kind::kInterrupted) throw;
      trial.record.error = error.what();
    }
    note(trial);
    ++done;
    if (events_.step) {
      LoopState progress;
      progress.step = done;
      events_.step(progress, options_.trials);
    }
  });
  if (options_.run.cluster != nullptr) join(first, mine);
}

// Takes over what the other ranks found in the trials from `first` on that are not mine.
void Search::join(size_t first, const std::vector<uint8_t>& mine) {
  std::string lines;
  for (size_t i = 0; i < mine.size(); ++i) {
    if (mine[i] != 0) lines += record_text(trials_[first + i].record) + "\n";
  }
  Cluster& cluster = *options_.run.cluster;
  cluster.wait_for_all();
  int from = 0;
  for (const Bytes& bytes : cluster.all_gather(std::as_bytes(std::span(lines)))) {
    std::istringstream in({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    const std::string where = fmt::format("a trial of rank {}", from++);
    for (std::string line; std::getline(in, line);) {
      const auto record = parse_record<SearchTrial>(line, where);
      const size_t at = record.trial - 1;
      if (at < first || at - first >= mine.size()) {
        fail("{}: expected one from {} on, found {}", where, first + 1, record.trial);
      }
      trials_[at].record = record;
      note(trials_[at]);
    }
  }
}

// Trials of a stage, best first; of equals the earlier.
std::vector<const Trial*> Search::ranked(const char* stage) const {
  std::vector<const Trial*> list;
  for (const Trial& trial : trials_) {
    if (trial.record.stage == stage && trial.record.score) list.push_back(&trial);
  }
  std::ranges::stable_sort(list,
                           [](const Trial* a, const Trial* b) { return a->score() > b->score(); });
  return list;
}

// Enough of a configuration to split the data by.
TrainConfig with_any_loss(TrainConfig base) {
  base.loss = "an";
  base.batch = 1;
  return base;
}

// Short runs: every loss with every transform, then other step sizes for each loss's best.
void Search::screen() {
  const Prepared prepared = prepare(data_, with_any_loss(base_));
  const size_t rows = prepared.split.train.size();
  const size_t budget = options_.trials * 5 / 7;
  std::vector<TrainConfig> configs = screening_candidates(base_, rows);
  can_solve_ =
      is_worth_solving(rows, data_.train_file.features.cols(), data_.labels(), base_.epoch_count());
  if (!can_solve_) {
    std::erase_if(configs, [](const TrainConfig& config) { return !takes_steps(config); });
  }
  for (TrainConfig& config : configs) {
    config.epochs = std::min(screening_epochs(rows, config.batch), base_.epoch_count());
    config.subsample = base_.subsample * std::min(1.0, kScreenRows / static_cast<double>(rows));
  }
  configs.resize(std::min(configs.size(), budget));
  run(configs, "screen");
  std::map<std::string, const Trial*> best;
  std::vector<TrainConfig> others;
  for (const Trial* trial : ranked("screen")) best.try_emplace(trial->config.loss, trial);
  for (const double factor : {1 / 3.0, 3.0}) {
    for (const auto& [loss, trial] : best) {
      if (!takes_steps(trial->config)) continue;
      others.push_back(trial->config);
      others.back().lr = trial->config.learning_rate() * factor;
    }
  }
  others.resize(std::min(others.size(), budget - std::min(budget, trials_.size())));
  run(others, "screen");
}

// Whole runs of the best: the best of each loss, then the next best, then weight decay.
void Search::finals() {
  const auto list = ranked("screen");
  std::vector<TrainConfig> configs;
  std::map<std::string, size_t> taken;
  const auto take = [&](const Trial* trial) {
    ++taken[trial->config.loss];
    configs.push_back(trial->config);
    configs.back().epochs = base_.epochs;
    configs.back().subsample = base_.subsample;
  };
  std::set<const Trial*> used;
  for (const Trial* trial : list) {
    if (taken[trial->config.loss] > 0) continue;
    take(trial);
    used.insert(trial);
  }
  for (const Trial* trial : list) {
    if (configs.size() >= left() * 2 / 3 + 1) break;
    if (used.contains(trial) || taken[trial->config.loss] >= kFinalsOfALoss) continue;
    take(trial);
  }
  if (configs.empty()) {  // too few trials to screen, or all of them failed
    configs = screening_candidates(base_, data_.train_file.rows());
  }
  configs.resize(std::max<size_t>(1, std::min(configs.size(), left())));
  run(configs, "final");
  std::vector<TrainConfig> decayed;
  for (const Trial* trial : ranked("final")) {
    if (!takes_steps(trial->config)) continue;
    decayed.push_back(trial->config);
    decayed.back().weight_decay = kDecay;
  }
  decayed.resize(std::min(decayed.size(), left() - std::min(left(), kBlends)));
  run(decayed, "final");
  blend();
}

// With the classifier that is solved for: what is best with the transform that suits it most, since
// both take the same features; then the best of each loss, of the best losses.
void Search::blend() {
  if (!can_solve_) return;
  const auto finals = ranked("final"), screened = ranked("screen");
  std::vector<const Trial*> partners;
  const auto solved = std::ranges::find_if(
      screened, [](const Trial* trial) { return !takes_steps(trial->config); });
  for (const auto& list : {finals, screened}) {
    if (solved == screened.end()) break;
    const auto same = std::ranges::find_if(list, [&](const Trial* trial) {
      return takes_steps(trial->config) && trial->config.transform == (*solved)->config.transform;
    });
    if (same == list.end()) continue;
    if (partners.empty()) partners.push_back(*same);
    if ((*same)->score() > partners.front()->score()) partners.front() = *same;
  }
  std::set<std::string> losses;
  for (const Trial* trial : finals) {
    if (!takes_steps(trial->config) || !losses.insert(trial->config.loss).second) continue;
    if (partners.empty() || trial != partners.front()) partners.push_back(trial);
  }
  partners.resize(std::min({partners.size(), kBlends, left()}));
  std::vector<TrainConfig> configs;
  for (const Trial* partner : partners) {
    configs.push_back(partner->config);
    configs.back().epochs = base_.epochs;
    configs.back().subsample = base_.subsample;
    configs.back().blend_ridge = true;
  }
  run(configs, "final");
}

// The best by score; but what is hardly worse and a mean of two depends less on chance.
const Trial& Search::best() const {
  const auto list = ranked("final");
  if (list.empty()) {
    for (const Trial& trial : trials_) {
      if (!trial.record.error.empty())
        fail("no trial of the search succeeded: {}", trial.record.error);
    }
  }
  const auto blended =
      std::ranges::find_if(list, [](const Trial* trial) { return trial->config.blend_ridge; });
  const double enough = list.front()->score() * (1 - kHardlyWorse);
  return blended != list.end() && (*blended)->score() >= enough ? **blended : *list.front();
}

TrainConfig Search::choose() {
  screen_splits_ = affordable(folds_holding_out(data_, base_, kFewRows), kScreenWork);
  final_splits_ = affordable(folds_holding_out(data_, base_, kEnoughRows), kFinalWork);
  find_k();
  screen();
  finals();
  const Trial& winner = best();
  for (Trial& trial : trials_) trial.record.chosen = &trial == &winner;
  if (options_.time_limit && out_of_time() && events_.notice) {
    events_.notice("the time limit ended the search: its result depends on the machine");
  }
  TrainConfig chosen = winner.config;
  if (takes_steps(chosen)) chosen.average = kAverage;
  return chosen;
}

}  // namespace

bool is_worth_solving(size_t rows, size_t features, size_t labels, int epochs) {
  const size_t order = LeastSquares::order(rows, features);
  const double matrix = static_cast<double>(order) * static_cast<double>(order) *
                        static_cast<double>(std::max(rows, features));
  // Scores, gradients and the step each go through all the weights for every row.
  const double training = 3.0 * epochs * static_cast<double>(rows) * static_cast<double>(features) *
                          static_cast<double>(labels);
  return order <= kMostSolved && matrix <= std::max(kMatrixWork, training);
}

void check_search(const Dataset& data, const TrainConfig& base, const AutoOptions& options) {
  check_trials(options);
  prepare(data, with_any_loss(base));
}

SearchResult search_settings(const Dataset& data, const TrainConfig& base,
                             const AutoOptions& options, const RunEvents& events,
                             SearchJournal* journal) {
  Search search(data, base, options, events, journal);
  SearchResult result{search.choose(), {}};
  for (const Trial& trial : search.trials()) result.trials.push_back(trial.record);
  return result;
}

}  // namespace spml
