#include "cluster/thread_cluster.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "base/fail.h"

namespace spml {
namespace {

struct OtherFailed : Error {
  using Error::Error;
};

// Where the threads meet: each lays down its bytes; when all have, each reads them all; when all
// have read, the next round begins.
class Meeting {
 public:
  explicit Meeting(int size) : size_(static_cast<size_t>(size)), laid_(size_) {}

  std::vector<Bytes> exchange(int rank, std::span<const std::byte> mine) {
    std::unique_lock lock(mutex_);
    wait(lock, [&] { return !reading_; });
    laid_[static_cast<size_t>(rank)].assign(mine.begin(), mine.end());
    if (++arrived_ == size_) {
      reading_ = true;
      changed_.notify_all();
    }
    wait(lock, [&] { return reading_; });
    std::vector<Bytes> all = laid_;
    if (--arrived_ == 0) {
      reading_ = false;
      changed_.notify_all();
    }
    return all;
  }

  void deal_anew() {
    const std::lock_guard guard(mutex_);
    dealt_ = 0;
  }

  uint64_t next() {
    const std::lock_guard guard(mutex_);
    return dealt_++;
  }

  void give_up() {
    const std::lock_guard guard(mutex_);
    failed_ = true;
    changed_.notify_all();
  }

 private:
  template <class Condition>
  void wait(std::unique_lock<std::mutex>& lock, const Condition& condition) {
    changed_.wait(lock, [&] { return failed_ || condition(); });
    if (!condition()) throw OtherFailed("another rank has failed");
  }

  size_t size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Bytes> laid_;
  size_t arrived_ = 0;
  bool reading_ = false, failed_ = false;
  uint64_t dealt_ = 0;
};

class ThreadCluster final : public Cluster {
 public:
  ThreadCluster(Meeting& meeting, int rank, int size)
      : meeting_(meeting), rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void sum(std::span<double> values) override { sum_up(values); }
  void sum(std::span<float> values) override { sum_up(values); }
  std::vector<Bytes> all_gather(std::span<const std::byte> mine) override {
    return meeting_.exchange(rank_, mine);
  }
  std::vector<Bytes> gather(std::span<const std::byte> mine) override {
    std::vector<Bytes> all = all_gather(mine);
    return is_first() ? all : std::vector<Bytes>();
  }
  void broadcast(Bytes& bytes) override { bytes = all_gather(bytes).front(); }
  void barrier() override { all_gather({}); }
  void wait_for_all() override { barrier(); }
  void begin_dealing() override {
    barrier();
    if (is_first()) meeting_.deal_anew();
    barrier();
  }
  uint64_t next() override { return meeting_.next(); }

 private:
  template <class T>
  void sum_up(std::span<T> values) {
    const std::vector<Bytes> all = all_gather(std::as_bytes(values));
    std::fill(values.begin(), values.end(), T{0});
    for (int r = 0; r < size_; ++r) {
      const auto theirs = values_of<T>(all[static_cast<size_t>(r)], r);
      check_joined(theirs.size(), values.size());
      for (size_t i = 0; i < values.size(); ++i) values[i] += theirs[i];
    }
  }

  Meeting& meeting_;
  int rank_, size_;
};

}  // namespace

void run_cluster(int size, const std::function<void(Cluster&)>& body) {
  Meeting meeting(size);
  std::vector<std::exception_ptr> errors(static_cast<size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadCluster cluster(meeting, rank, size);
      try {
        body(cluster);
      } catch (...) {
        errors[static_cast<size_t>(rank)] = std::current_exception();
        meeting.give_up();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::exception_ptr waited;
  for (const std::exception_ptr& error : errors) {
    if (!error) continue;
    try {
      std::rethrow_exception(error);
    } catch (const OtherFailed&) {
      waited = error;
    }
  }
  if (waited) std::rethrow_exception(waited);
}

}  // namespace spml
