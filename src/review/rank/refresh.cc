#include "review/rank/refresh.h"

namespace spml::review {

Refresher::Refresher(Store& store, Ranker* ranker)
    : store_(store), ranker_(ranker), ranked_(store.answer_count()) {}

Refresher::~Refresher() {
  if (thread_.joinable()) thread_.join();
}

void Refresher::answered() {
  if (ranker_ == nullptr || running_) return;
  const std::lock_guard lock(mutex_);
  const int64_t answers = store_.answer_count();
  if (running_ || answers < ranked_ + kEvery) return;
  const auto run = store_.current_run();
  if (!run) return;
  if (thread_.joinable()) thread_.join();  // it has ended
  ranked_ = answers;
  running_ = true;
  try {
    thread_ = std::thread([this, id = run->id] { refresh(id); });
  } catch (const std::exception&) {
    running_ = false;  // no thread could be started; the answer is saved all the same
  }
}

void Refresher::refresh(int64_t run) {
  try {
    work(run);
  } catch (const std::exception&) {
    // The old order will do; if the file is damaged, the next answer will say so.
  }
  running_ = false;
}

void Refresher::work(int64_t run) {
  std::vector<Suggestion> changed = ranker_->rank(store_.answered(), kBest).list;
  // Entries that are no longer among the best make room.
  Listing best;
  best.state = State::kOpen;
  best.limit = kBest;
  std::vector<Entry> before;
  for (const Listed& listed : store_.list(best)) before.push_back(listed.entry);
  for (const Suggestion& suggestion : ranker_->score(before)) changed.push_back(suggestion);
  if (store_.rescore(run, changed)) ++version_;
}

}  // namespace spml::review
