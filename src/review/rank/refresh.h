// Keeps the ranking up to date: after every hundred answers the open entries are ranked again, in
// the background and without training.
#pragma once

#include <atomic>
#include <thread>

#include "review/rank/ranker.h"

namespace spml::review {

class Refresher {
 public:
  static constexpr int64_t kEvery = 100;  // answers
  static constexpr size_t kBest = 5000;   // entries whose scores are updated

  // Both must outlive this object; without a ranker nothing is ever refreshed.
  Refresher(Store& store, Ranker* ranker);
  Refresher(const Refresher&) = delete;
  Refresher& operator=(const Refresher&) = delete;
  ~Refresher();

  // To be called after every answer.
  void answered();
  // Increases whenever scores change.
  int64_t version() const { return version_; }

 private:
  void refresh(int64_t run);  // runs in a thread, so never throws
  void work(int64_t run);

  Store& store_;
  Ranker* ranker_;
  std::mutex mutex_;                 // held while starting
  std::atomic<int64_t> ranked_ = 0;  // answers seen by the last ranking
  std::atomic<int64_t> version_ = 0;
  std::atomic<bool> running_ = false;
  std::thread thread_;
};

}  // namespace spml::review
