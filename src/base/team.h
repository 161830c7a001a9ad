// A few threads that repeat a short job thousands of times a second. Between jobs they spin for a
// moment before they sleep: waking a sleeping thread costs more than a whole training step.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace spml {

class Team {
 public:
  explicit Team(int threads);  // fewer where the system has no more to give
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team();

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  // job(t) for t in [0, size()), job(0) on the calling thread; returns when all have ended. The
  // first exception is rethrown then.
  void run(const std::function<void(int)>& job);

 private:
  void work(int index);
  void try_job(int index) noexcept;
  uint64_t wait_for_job(uint64_t seen);

  const std::function<void(int)>* job_ = nullptr;
  std::atomic<uint64_t> generation_{0};  // counts jobs; a change wakes the workers
  std::atomic<int> running_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::exception_ptr failure_;  // the first of the job
  std::vector<std::thread> workers_;
};

}  // namespace spml
