#include "base/team.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include <hwy/cache_control.h>

namespace spml {
namespace {

// About 200 us: longer than the serial part of a step, shorter than anyone notices.
constexpr int kSpins = 8000;

}  // namespace

Team::Team(int threads) : claims_(static_cast<size_t>(std::max(1, threads))) {
  workers_.reserve(static_cast<size_t>(std::max(0, threads - 1)));
  try {
    for (int t = 1; t < threads; ++t) workers_.emplace_back([this, t] { work(t); });
  } catch (const std::system_error&) {
    // Results do not depend on how many there are.
  }
}

Team::~Team() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    ++generation_;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void Team::run(const std::function<void(int)>& job) {
  if (workers_.empty()) return job(0);
  job_ = &job;
  running_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
  const uint64_t generation = generation_.load(std::memory_order_relaxed) + 1;
  {
    std::lock_guard lock(mutex_);
    generation_.store(generation, std::memory_order_release);
  }
  wake_.notify_all();
  try_job(0);
  for (int t = 1; t < size(); ++t) {
    if (!claim(t, generation)) continue;
    try_job(t);
    running_.fetch_sub(1, std::memory_order_relaxed);
  }
  for (int spins = 0; running_.load(std::memory_order_acquire) != 0; ++spins) {
    if (spins < kSpins) {
      hwy::Pause();
    } else {
      std::this_thread::yield();
    }
  }
  if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
}

// Whoever is late, by however many jobs, finds the part taken: run() ends only when all are.
bool Team::claim(int index, uint64_t generation) {
  std::atomic<uint64_t>& last = claims_[static_cast<size_t>(index)].generation;
  uint64_t before = generation - 1;
  return last.load(std::memory_order_relaxed) == before &&
         last.compare_exchange_strong(before, generation, std::memory_order_relaxed);
}

// A worker that threw would end the process, and the others still use the job.
void Team::try_job(int index) noexcept {
  try {
    (*job_)(index);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (failure_ == nullptr) failure_ = std::current_exception();
  }
}

uint64_t Team::wait_for_job(uint64_t seen) {
  for (int spins = 0; spins < kSpins; ++spins) {
    const uint64_t generation = generation_.load(std::memory_order_acquire);
    if (generation != seen) return generation;
    hwy::Pause();
  }
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [&] { return generation_.load(std::memory_order_acquire) != seen; });
  return generation_.load(std::memory_order_acquire);
}

void Team::work(int index) {
  uint64_t seen = 0;
  while (true) {
    seen = wait_for_job(seen);
    if (stop_) return;
    if (!claim(index, seen)) continue;
    try_job(index);
    running_.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace spml
