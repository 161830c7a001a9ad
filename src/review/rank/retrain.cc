#include "review/rank/retrain.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/folders.h"
#include "review/store/answered_labels.h"
#include "review/store/review_folder.h"
#include "run/run.h"

namespace spml::review {
namespace {

// Answers to the likeliest questions say little about the many unlikely ones: the number expected
// before the first answer, less the number found, is the better estimate.
double expected_missing(const Suggestions& ranked, const ReviewRun& first,
                        const std::vector<NewAnswer>& answers) {
  const auto found = std::count_if(answers.begin(), answers.end(), [](const NewAnswer& answer) {
    return answer.answer == State::kYes;
  });
  return std::max(ranked.expected_missing, first.expected.value_or(0) - static_cast<double>(found));
}

}  // namespace

Retrainer::Retrainer(Store& store, const RetrainSetup& setup,
                     std::function<void(std::shared_ptr<Scorer>)> done)
    : store_(store), setup_(setup), done_(std::move(done)) {}

Retrainer::~Retrainer() { stop(); }

void Retrainer::stop() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

RetrainStatus Retrainer::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void Retrainer::set(const std::function<void(RetrainStatus&)>& change) {
  const std::lock_guard lock(mutex_);
  change(status_);
}

bool Retrainer::start(const Path& run) {
  const std::lock_guard lock(mutex_);
  if (status_.running) return false;
  if (thread_.joinable()) thread_.join();  // it has ended
  stop_ = false;
  thread_ = std::thread([this, run] { work(run); });
  status_ = {true, "training", 0, 0, ""};  // the thread exists and waits for the mutex
  return true;
}

void Retrainer::work(const Path& run) {
  ReviewRun record;
  std::string error;
  try {
    train(run, record);
  } catch (const std::exception& caught) {
    error = caught.what();
    if (record.id > 0 && status().phase != "finishing") {
      record.state = RunState::kStopped;
      try {
        store_.update_run(record);
      } catch (const std::exception&) {
        // Report the first failure.
      }
    }
  }
  set([&](RetrainStatus& status) {
    status.running = false;
    status.share = error.empty() ? 1 : status.share;
    status.error = std::move(error);
  });
}

Suggestions Retrainer::rank(const std::vector<NewAnswer>& answers) {
  SuggestEvents events;
  events.stop_requested = [this] { return stop_.load(); };
  events.model = [this](size_t done, size_t total) {
    set([&](RetrainStatus& status) {
      status.share = static_cast<double>(done) / static_cast<double>(total);
    });
  };
  setup_.ranker->retrain(answers, events);
  return setup_.ranker->rank(answers, setup_.limit);
}

void Retrainer::train(const Path& base, ReviewRun& record) {
  const std::vector<NewAnswer> answers = store_.answered();
  record.state = RunState::kTraining;
  record.answers = static_cast<int64_t>(answers.size());
  record.folder = fmt::format("runs/{:03}", store_.runs().size());
  record.id = store_.add_run(record);
  set([&](RetrainStatus& status) { status.answers = record.answers; });

  DatasetOptions options;
  options.check_features = false;  // checked when the review was opened
  options.threads = setup_.threads;
  Dataset data = open_dataset(setup_.data->folder, options);
  check_same_data(store_.subject(), data);  // the folder may have been replaced
  data.train_file.observed = with_answers(*setup_.observed, answers);
  TrainConfig config = load_trained_model(base, 1).config;
  config.observe.reset();  // the labels it drew are among `labels`
  RunOptions run;
  run.out = setup_.review / record.folder;
  make_folder_inside(setup_.review / "runs");
  make_folder_inside(run.out);
  run.existing = Existing::kOverwrite;
  run.threads = setup_.threads;
  RunEvents events;
  events.stop_requested = [this] { return stop_.load(); };
  events.step = [this](const LoopState& state, uint64_t total) {
    if (state.step % 16 != 0) return;
    set([&](RetrainStatus& status) {
      status.share = static_cast<double>(state.step) / static_cast<double>(total);
    });
  };
  const RunResult result = run_training(data, config, run, events).result;

  set([](RetrainStatus& status) {
    status.phase = "ranking";
    status.share = 0;
  });
  auto scorer = std::make_shared<Scorer>(run.out, *setup_.data, setup_.threads);
  Suggestions suggestions = setup_.ranker == nullptr
                                ? scorer->suggest(data.train_file.observed, setup_.limit)
                                : rank(answers);
  // Answered and sampled entries stay in the list whatever their score is now.
  std::vector<Entry> kept = store_.sampled();
  for (const NewAnswer& answer : store_.answered()) kept.push_back(answer.entry);
  for (const Suggestion& suggestion : scorer->score(kept)) suggestions.list.push_back(suggestion);
  record.state = RunState::kDone;
  record.unknown = static_cast<double>(suggestions.unknown);
  record.expected = setup_.ranker == nullptr
                        ? suggestions.expected_missing
                        : expected_missing(suggestions, store_.runs().front(), answers);
  record.val_map = result.val_map;
  record.test_map = result.test_map;
  store_.replace_suggestions(
      record, suggestions.list,
      [&] {
        done_(scorer);
        set([](RetrainStatus& status) { status.phase = "finishing"; });
      },
      [this] { return stop_.load(); });
}

}  // namespace spml::review
