// Training again with the answers, in the background, while more of them come in.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "data/dataset.h"
#include "review/rank/ranker.h"
#include "review/rank/scores.h"
#include "review/store/store.h"

namespace spml::review {

struct RetrainStatus {
  bool running = false;
  std::string phase;  // "training", "ranking", "finishing"; "" when nothing was started yet
  double share = 0;   // done, 0 to 1
  int64_t answers = 0;
  std::string error;  // why the last one failed; "" when it did not
};

struct RetrainSetup {
  const Dataset* data = nullptr;
  const LabelMatrix* observed = nullptr;  // before the answers
  Path review;                            // the folder; runs go to review/runs
  int threads = 1;
  size_t limit = 0;          // of suggestions
  Ranker* ranker = nullptr;  // else the run ranks
};

class Retrainer {
 public:
  // `done` hears of the scorer of a new run, from another thread. What `setup` points to and the
  // store must outlive this object.
  Retrainer(Store& store, const RetrainSetup& setup,
            std::function<void(std::shared_ptr<Scorer>)> done);
  Retrainer(const Retrainer&) = delete;
  Retrainer& operator=(const Retrainer&) = delete;
  ~Retrainer();  // stops training that is under way

  // Trains with the settings of `run`; false when training is under way already.
  bool start(const Path& run);
  RetrainStatus status() const;
  void stop();  // asks, and waits

 private:
  void work(const Path& run);
  void train(const Path& base, ReviewRun& record);
  Suggestions rank(const std::vector<NewAnswer>& answers);
  void set(const std::function<void(RetrainStatus&)>& change);

  Store& store_;
  RetrainSetup setup_;
  std::function<void(std::shared_ptr<Scorer>)> done_;
  mutable std::mutex mutex_;
  RetrainStatus status_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace spml::review
