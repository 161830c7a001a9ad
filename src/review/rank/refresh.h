// The ranking follows the answers: after every hundred of them what is asked next is ranked anew,
// in the background and without training.
#pragma once

#include <atomic>
#include <thread>

#include "review/rank/ranker.h"

namespace spml::review {

class Refresher {
 public:
  static constexpr int64_t kEvery = 100;  // answers
  static constexpr size_t kBest = 5000;   // entries whose scores are brought up to date

  // Both must outlive this object; without a ranker nothing is ever refreshed.
  Refresher(Store& store, Ranker* ranker);
  Refresher(const Refresher&) = delete;
  Refresher& operator=(const Refresher&) = delete;
  ~Refresher();

  // Has to be told of answers.
  void answered();
  // How often the scores have changed.
  int64_t version() const { return version_; }

 private:
  void refresh(int64_t run);  // throws nothing: it is a thread's
  void work(int64_t run);

  Store& store_;
  Ranker* ranker_;
  std::mutex mutex_;                 // of starting
  std::atomic<int64_t> ranked_ = 0;  // answers that the last ranking knew of
  std::atomic<int64_t> version_ = 0;
  std::atomic<bool> running_ = false;
  std::thread thread_;
};

}  // namespace spml::review
