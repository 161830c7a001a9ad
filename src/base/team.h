// A few threads that repeat a short job thousands of times a second. Between jobs they spin for a
// moment before they sleep: waking a sleeping thread costs more than a whole training step. On a
// busy machine a thread may have to wait for a core; what it has not begun by then the caller does
// itself.
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

  // job(t) for t in [0, size()), each once; returns when all have ended. Thread t does its own
  // part, so that its data stay in its cache, or the calling thread does. The first exception is
  // rethrown at the end.
  void run(const std::function<void(int)>& job);

 private:
  void work(int index);
  bool claim(int index, uint64_t generation);
  void try_job(int index) noexcept;
  uint64_t wait_for_job(uint64_t seen);

  // The last job of which this part was begun.
  struct alignas(64) Claim {
    std::atomic<uint64_t> generation{0};
  };

  const std::function<void(int)>* job_ = nullptr;  // read by who has claimed a part of it
  std::atomic<uint64_t> generation_{0};            // counts jobs; a change wakes the workers
  std::vector<Claim> claims_;
  std::atomic<int> running_{0};  // parts that have not ended, but for the caller's own
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::exception_ptr failure_;  // the first of the job
  std::vector<std::thread> workers_;
};

}  // namespace spml
