// Ends waiting that takes too long: MPI itself waits for ever.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace spml {

class Watchdog {
 public:
  // Calls `lost`, on a thread of its own, when a Waiting lives for more than `seconds`.
  Watchdog(double seconds, std::function<void()> lost)
      : limit_(seconds), lost_(std::move(lost)), thread_([this] { watch(); }) {}
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog() {
    {
      const std::lock_guard guard(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  class Waiting {
   public:
    explicit Waiting(Watchdog& dog) : dog_(dog) { dog_.since_.store(now()); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting() { dog_.since_.store(0); }

   private:
    Watchdog& dog_;
  };

 private:
  static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  void watch() {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, std::chrono::milliseconds(200), [&] { return done_; })) {
      const double since = since_.load();
      if (since > 0 && now() - since > limit_) lost_();
    }
  }

  const double limit_;
  const std::function<void()> lost_;
  std::atomic<double> since_{0};  // of the waiting that is under way; 0 = none
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace spml
