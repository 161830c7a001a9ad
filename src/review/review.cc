#include "review/review.h"

#include <algorithm>

#include "base/fail.h"
#include "base/folders.h"
#include "fit/prepare.h"
#include "review/store/answered_labels.h"
#include "review/store/random_hex.h"
#include "run/run_record.h"

namespace spml::review {
namespace {

constexpr const char* kLock = "review.lock";

// Files left by a review that was killed during start-up; ours to replace.
bool is_left_by_a_start(const Path& review, const Path& entry) {
  const std::string name = entry.filename().string();
  const std::string copy = observed_copy(review).filename().string();
  const std::string draft = database_file(review).filename().string() + ".new";
  return name == kLock || name == copy || name.starts_with(copy + ".tmp-") ||
         name.starts_with(draft);
}

bool holds_something_else(const Path& folder) {
  if (!path_exists(folder)) return false;
  if (!is_folder(folder)) return true;
  const auto entries = list_folder(folder);
  return !std::ranges::all_of(entries,
                              [&](const Path& entry) { return is_left_by_a_start(folder, entry); });
}

// The observed labels that a run was trained on: the file's, or those it drew.
LabelMatrix observed_by(const TrainedModel& run, const Dataset& data) {
  const Prepared prepared = prepare(data, run.config);
  return with_answers(prepared.observed(), {});
}

}  // namespace

Review::Review(const ReviewOptions& options) : options_(options) {
  if (!path_exists(database_file(options_.out))) open_new();
  make_folder(options_.out);
  lock_ = std::make_unique<FileLock>(options_.out / kLock, options_.out.string());
  if (path_exists(database_file(options_.out))) open_existing();

  const std::optional<ReviewRun> current = store_ ? store_->current_run() : std::nullopt;
  const Path run = current ? run_folder(*current) : options_.run;
  if (run.empty()) {
    fail_usage("expected --run RUN: {} has no suggestions yet", options_.out.string());
  }
  if (resumed_) scorer_ = std::make_shared<Scorer>(run, data_, options_.threads);
  if (!current) {
    start_new(run);
  } else {
    observed_ = open_observed(options_.out, store_->subject());
    open_ranker();
  }
  refresher_ = std::make_unique<Refresher>(*store_, ranker_.get());
  // A run that was being trained when the program was killed will never be finished.
  for (ReviewRun& record : store_->runs()) {
    if (record.state != RunState::kTraining) continue;
    record.state = RunState::kStopped;
    store_->update_run(record);
  }
  pictures_ = std::make_unique<Pictures>(data_, options_.make_thumbnail);
  neighbours_ = std::make_unique<Neighbours>(data_, observed_);
  if (!options_.log.empty()) {
    log_ = std::make_unique<AnswerLog>(options_.log, *store_,
                                       [this](size_t row) { return pictures_->name(row); });
  }
  const RetrainSetup setup{&data_,           &observed_,     options_.out,
                           options_.threads, options_.limit, ranker_.get()};
  retrainer_ = std::make_unique<Retrainer>(*store_, setup, [this](std::shared_ptr<Scorer> scorer) {
    const std::lock_guard lock(mutex_);
    scorer_ = std::move(scorer);
  });
}

// Runs before the folder is made, so that a misspelt name leaves nothing behind.
void Review::open_new() {
  if (holds_something_else(options_.out)) {
    fail("{}: expected an empty folder or a review, found other files; choose another --out",
         options_.out.string());
  }
  if (options_.data.empty() || options_.run.empty()) {
    fail_usage("a new review needs the data folder and --run RUN, a classifier trained on it");
  }
  open_data();
  scorer_ = std::make_shared<Scorer>(options_.run, data_, options_.threads);
}

void Review::open_existing() {
  resumed_ = true;
  store_ = Store::open(database_file(options_.out));
  if (options_.data.empty()) options_.data = store_->subject().data;
  open_data();
  check_same_data(store_->subject(), data_);
}

std::vector<std::string> Review::notices() const {
  std::vector<std::string> notices;
  if (resumed_) notices.push_back(fmt::format("the data is read from {}", data_.folder.string()));
  if (resumed_ && !options_.run.empty()) {
    notices.push_back(fmt::format(
        "the review goes on with the run it has; {} is not used: begin another review with it",
        options_.run.string()));
  }
  if (log_ && log_->cut_off() > 0) {
    notices.push_back(fmt::format("{}: a line cut short ({} bytes) was taken off its end",
                                  options_.log.string(), log_->cut_off()));
  }
  if (pictures_->any() && images_are_elsewhere(data_.folder, data_.image_root)) {
    notices.push_back(elsewhere_notice(data_.folder, data_.image_root));
  }
  return notices;
}

void Review::open_data() {
  DatasetOptions options;
  options.need_features = true;
  options.threads = options_.threads;
  data_ = open_dataset(options_.data, options);
}

void Review::open_ranker() {
  const TrainConfig& config = scorer_->trained().config;
  if (!Ranker::is_possible(data_, config)) return;
  ranker_ =
      std::make_unique<Ranker>(data_, config, observed_, options_.threads, options_.stop_requested);
}

void Review::start_new(const Path& run) {
  write_labels(observed_copy(options_.out), observed_by(scorer_->trained(), data_));
  if (!store_) {
    const Subject subject{random_hex(16),          absolute_path(options_.data).string(),
                          fingerprint(data_),      data_.name,
                          data_.train_file.rows(), data_.classes};
    store_ = Store::create(database_file(options_.out), subject);
  }
  observed_ = open_observed(options_.out, store_->subject());
  open_ranker();
  ReviewRun record;
  record.folder = absolute_path(run).string();
  record.id = store_->add_run(record);
  const RunResult result = read_run_result(RunFolder{run}.result());
  record.val_map = result.val_map;
  record.test_map = result.test_map;
  const Suggestions suggestions =
      ranker_ ? ranker_->rank({}, options_.limit) : scorer_->suggest(observed_, options_.limit);
  record.unknown = static_cast<double>(suggestions.unknown);
  record.expected = suggestions.expected_missing;
  store_->replace_suggestions(record, suggestions.list, {}, options_.stop_requested);
}

Path Review::run_folder(const ReviewRun& run) const {
  const Path folder = run.folder;
  return folder.is_absolute() ? folder : options_.out / folder;
}

ActionResult Review::answer(const std::string& key, const std::vector<NewAnswer>& answers,
                            std::optional<int64_t> sample) {
  const Subject& subject = store_->subject();
  std::vector<Entry> missing;
  std::vector<int8_t> labels(subject.classes.size());
  for (const NewAnswer& answer : answers) {
    const auto [row, label] = answer.entry;
    if (row < 0 || static_cast<size_t>(row) >= subject.rows || label < 0 ||
        static_cast<size_t>(label) >= subject.classes.size() || store_->find(answer.entry)) {
      continue;
    }
    observed_.read_row(static_cast<size_t>(row), labels);
    if (labels[static_cast<size_t>(label)] == 0) missing.push_back(answer.entry);
  }
  if (!missing.empty()) {
    const std::lock_guard lock(mutex_);
    store_->add_suggestions(scorer_->score(missing));
  }
  ActionResult result = store_->answer(key, options_.reviewer, answers, sample);
  refresher_->answered();
  return result;
}

bool Review::retrain() { return retrainer_->start(run_folder(*store_->current_run())); }

std::optional<int64_t> Review::draw_sample(size_t size) {
  const std::lock_guard lock(mutex_);
  uint64_t population = 0;
  const auto entries = draw_open(observed_, store_->answered(), size, random_, population);
  if (entries.empty()) return std::nullopt;
  return store_->add_sample(scorer_->score(entries), population, options_.reviewer);
}

std::optional<ReviewSample> Review::last_sample() {
  const auto last = store_->last_sample();
  if (!last) return std::nullopt;
  ReviewSample sample{*last, {}};
  const auto& counts = sample.record.counts;
  if (counts[static_cast<size_t>(State::kOpen)] > 0) return sample;
  // An unsure entry may be positive, so it counts as one.
  SampleOutcome outcome;
  outcome.population = sample.record.population;
  outcome.sample = sample.record.size;
  outcome.positives =
      counts[static_cast<size_t>(State::kYes)] + counts[static_cast<size_t>(State::kUnsure)];
  outcome.found_since = sample.record.found_since;
  for (const Counts& of_class : store_->counts()) {
    outcome.found += of_class[static_cast<size_t>(State::kYes)];
  }
  sample.bound = stopping_bound(outcome);
  return sample;
}

}  // namespace spml::review
