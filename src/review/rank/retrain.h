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
  std::string phase;  // "training", "ranking", "finishing"; "" before the first start
  double share = 0;   // done, 0 to 1
  int64_t answers = 0;
  std::string error;  // why the last one failed; "" if it succeeded
};

struct RetrainSetup {
  const Dataset* data = nullptr;
  const LabelMatrix* observed = nullptr;  // before the answers
  Path review;                            // the folder; runs go to review/runs
  int threads = 1;
  size_t limit = 0;          // number of suggestions
  Ranker* ranker = nullptr;  // without one, the run's own scores rank
};

class Retrainer {
 public:
  // `done` is called from another thread with the scorer of a new run. The store and everything
  // `setup` points to must outlive this object.
  Retrainer(Store& store, const RetrainSetup& setup,
            std::function<void(std::shared_ptr<Scorer>)> done);
  Retrainer(const Retrainer&) = delete;
  Retrainer& operator=(const Retrainer&) = delete;
  ~Retrainer();  // stops any training under way

  // Trains with the settings of `run`; false when training is already under way.
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
