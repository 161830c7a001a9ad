#include "mpi/mpi_cluster.h"

#include <mpi.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/fail.h"
#include "mpi/silence.h"
#include "mpi/watchdog.h"

namespace spml {
namespace {

// MPI counts in int.
constexpr size_t kPiece = size_t{1} << 30;
constexpr size_t kSummed = size_t{1} << 24;  // floats summed at once

constexpr int kAsk = 1, kAnswer = 2, kBytes = 3, kError = 4, kAlive = 5;  // tags

constexpr size_t kLongestError = 4000;
constexpr auto kNap = std::chrono::milliseconds(1);
constexpr int kBetweenSigns = 25;  // of life, in ten naps

MPI_Comm g_aside = MPI_COMM_NULL;  // for what is said out of turn

// A wait that may take long does not keep a core busy.
void sleep_until_done(MPI_Request& request) {
  int done = 0;
  for (int tries = 0;; ++tries) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    if (tries > 1000) std::this_thread::sleep_for(kNap);
  }
}

class MpiCluster final : public Cluster {
 public:
  explicit MpiCluster(const MpiOptions& options) : options_(options) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm_dup(MPI_COMM_WORLD, &g_aside);
    watchdog_.emplace(options.timeout, [this] { lost(); });
    aside_ = std::thread([this] { is_first() ? listen() : say_alive(); });
  }
  MpiCluster(const MpiCluster&) = delete;
  MpiCluster& operator=(const MpiCluster&) = delete;
  ~MpiCluster() override {
    stopping_ = true;
    if (aside_.joinable()) aside_.join();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void sum(std::span<double> values) override {
    const Watchdog::Waiting waiting(*watchdog_);
    const size_t n = values.size(), ranks = static_cast<size_t>(size_);
    all_.resize(n * ranks);
    MPI_Allgather(values.data(), static_cast<int>(n), MPI_DOUBLE, all_.data(), static_cast<int>(n),
                  MPI_DOUBLE, MPI_COMM_WORLD);
    for (size_t i = 0; i < n; ++i) {
      values[i] = 0;
      for (size_t r = 0; r < ranks; ++r) values[i] += all_[r * n + i];
    }
  }

  // In pieces, which bound the buffers and MPI's counts.
  void sum(std::span<float> values) override {
    const Watchdog::Waiting waiting(*watchdog_);
    for (size_t i = 0; i < values.size(); i += kSummed) {
      sum_piece(values.subspan(i, std::min(kSummed, values.size() - i)));
    }
  }

  std::vector<Bytes> all_gather(std::span<const std::byte> mine) override {
    const Watchdog::Waiting waiting(*watchdog_);
    const std::vector<uint64_t> sizes = sizes_of(mine.size());
    if (std::accumulate(sizes.begin(), sizes.end(), uint64_t{0}) > kPiece) {
      return all_gather_in_pieces(mine, sizes);
    }
    std::vector<int> counts(sizes.begin(), sizes.end()), begins(sizes.size());
    std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
    joined_.resize(static_cast<size_t>(begins.back()) + static_cast<size_t>(counts.back()));
    MPI_Allgatherv(mine.data(), counts[static_cast<size_t>(rank_)], MPI_BYTE, joined_.data(),
                   counts.data(), begins.data(), MPI_BYTE, MPI_COMM_WORLD);
    std::vector<Bytes> all(sizes.size());
    for (size_t r = 0; r < all.size(); ++r) {
      const auto begin = joined_.begin() + begins[r];
      all[r].assign(begin, begin + counts[r]);
    }
    return all;
  }

  std::vector<Bytes> gather(std::span<const std::byte> mine) override {
    const Watchdog::Waiting waiting(*watchdog_);
    const std::vector<uint64_t> sizes = sizes_of(mine.size());
    if (rank_ != 0) {
      for (size_t i = 0; i < mine.size(); i += kPiece) {
        const size_t count = std::min(kPiece, mine.size() - i);
        MPI_Send(mine.data() + i, static_cast<int>(count), MPI_BYTE, 0, kBytes, MPI_COMM_WORLD);
      }
      return {};
    }
    std::vector<Bytes> all(sizes.size());
    all[0].assign(mine.begin(), mine.end());
    for (size_t r = 1; r < all.size(); ++r) {
      all[r].resize(sizes[r]);
      for (size_t i = 0; i < all[r].size(); i += kPiece) {
        const size_t count = std::min(kPiece, all[r].size() - i);
        MPI_Recv(all[r].data() + i, static_cast<int>(count), MPI_BYTE, static_cast<int>(r), kBytes,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
    }
    return all;
  }

  void broadcast(Bytes& bytes) override {
    const Watchdog::Waiting waiting(*watchdog_);
    uint64_t size = bytes.size();
    MPI_Bcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    bytes.resize(size);
    broadcast_from(0, bytes);
  }

  void barrier() override {
    const Watchdog::Waiting waiting(*watchdog_);
    wait_for_all();
  }

  void wait_for_all() override {
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    sleep_until_done(request);
  }

  void begin_dealing() override {
    wait_for_all();
    dealt_ = 0;
    barrier();
  }

  uint64_t next() override {
    if (is_first()) return dealt_++;
    const Watchdog::Waiting waiting(*watchdog_);  // rank 0 answers while it works, in listen()
    uint64_t number = 0;
    MPI_Request request;
    MPI_Irecv(&number, 1, MPI_UINT64_T, 0, kAnswer, g_aside, &request);
    MPI_Send(nullptr, 0, MPI_BYTE, 0, kAsk, g_aside);
    sleep_until_done(request);
    return number;
  }

 private:
  std::vector<uint64_t> sizes_of(uint64_t mine) {
    std::vector<uint64_t> sizes(static_cast<size_t>(size_));
    MPI_Allgather(&mine, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
    return sizes;
  }

  // Rank r adds up, in rank order, the r-th part of all ranks' values.
  void sum_piece(std::span<float> values) {
    const size_t n = values.size(), ranks = static_cast<size_t>(size_);
    const auto first = [&](size_t r) { return n * r / ranks; };
    const size_t own = static_cast<size_t>(rank_), mine = first(own + 1) - first(own);
    std::vector<int> counts(ranks), begins(ranks), same(ranks, static_cast<int>(mine)),
        parts(ranks);
    for (size_t r = 0; r < ranks; ++r) {
      counts[r] = static_cast<int>(first(r + 1) - first(r));
      begins[r] = static_cast<int>(first(r));
      parts[r] = static_cast<int>(r * mine);
    }
    theirs_.resize(mine * ranks);
    MPI_Alltoallv(values.data(), counts.data(), begins.data(), MPI_FLOAT, theirs_.data(),
                  same.data(), parts.data(), MPI_FLOAT, MPI_COMM_WORLD);
    float* const sums = values.data() + first(own);
    std::copy_n(theirs_.begin(), mine, sums);
    for (size_t r = 1; r < ranks; ++r) {
      for (size_t i = 0; i < mine; ++i) sums[i] += theirs_[r * mine + i];
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_FLOAT, values.data(), counts.data(), begins.data(),
                   MPI_FLOAT, MPI_COMM_WORLD);
  }

  void broadcast_from(int root, Bytes& bytes) {
    for (size_t i = 0; i < bytes.size(); i += kPiece) {
      const size_t count = std::min(kPiece, bytes.size() - i);
      MPI_Bcast(bytes.data() + i, static_cast<int>(count), MPI_BYTE, root, MPI_COMM_WORLD);
    }
  }

  std::vector<Bytes> all_gather_in_pieces(std::span<const std::byte> mine,
                                          const std::vector<uint64_t>& sizes) {
    std::vector<Bytes> all(sizes.size());
    for (size_t r = 0; r < all.size(); ++r) {
      if (static_cast<int>(r) == rank_) {
        all[r].assign(mine.begin(), mine.end());
      } else {
        all[r].resize(sizes[r]);
      }
      broadcast_from(static_cast<int>(r), all[r]);
    }
    return all;
  }

  // Once: whoever comes second would end the process before the first has said why.
  void lost() {
    if (!lost_.exchange(true)) options_.lost(rank_, options_.timeout);
    while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
  }

  // Rank 0 works too, so it hears the others on a thread of its own. Ranks that work for themselves
  // may take hours until they meet, so all say now and then that they are alive.
  void listen() {
    Silence silence(static_cast<size_t>(size_), options_.timeout);
    while (!stopping_) {
      int there = 0;
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, g_aside, &there, &status);
      if (there == 0) {
        std::this_thread::sleep_for(kNap);
        if (silence.is_too_long()) lost();
        continue;
      }
      const int source = status.MPI_SOURCE;
      silence.broken(static_cast<size_t>(source));
      if (status.MPI_TAG == kAsk) {
        MPI_Recv(nullptr, 0, MPI_BYTE, source, kAsk, g_aside, MPI_STATUS_IGNORE);
        const uint64_t number = dealt_++;
        MPI_Send(&number, 1, MPI_UINT64_T, source, kAnswer, g_aside);
      } else if (status.MPI_TAG == kAlive) {
        MPI_Recv(nullptr, 0, MPI_BYTE, source, kAlive, g_aside, MPI_STATUS_IGNORE);
        MPI_Send(nullptr, 0, MPI_BYTE, source, kAlive, g_aside);
      } else {
        std::string why(kLongestError, ' ');
        int length = 0;
        MPI_Recv(why.data(), static_cast<int>(why.size()), MPI_CHAR, source, kError, g_aside,
                 &status);
        MPI_Get_count(&status, MPI_CHAR, &length);
        options_.told(source, why.substr(0, static_cast<size_t>(length)));
      }
    }
  }

  // The other ranks: asks rank 0 for a sign of life, again and again, one question at a time.
  void say_alive() {
    Silence silence(1, options_.timeout);
    while (!stopping_) {
      MPI_Send(nullptr, 0, MPI_BYTE, 0, kAlive, g_aside);
      int there = 0;
      while (there == 0 && !stopping_) {
        MPI_Iprobe(0, kAlive, g_aside, &there, MPI_STATUS_IGNORE);
        if (there == 0) std::this_thread::sleep_for(kNap);
        if (silence.is_too_long()) lost();
      }
      if (there != 0) MPI_Recv(nullptr, 0, MPI_BYTE, 0, kAlive, g_aside, MPI_STATUS_IGNORE);
      silence.broken(0);
      for (int i = 0; i < kBetweenSigns && !stopping_; ++i) {
        std::this_thread::sleep_for(10 * kNap);
        silence.is_too_long();  // keeps its clock
      }
    }
  }

  MpiOptions options_;
  int rank_ = 0, size_ = 1;
  std::optional<Watchdog> watchdog_;
  std::vector<double> all_;  // buffers that stay
  std::vector<float> theirs_;
  Bytes joined_;
  std::atomic<uint64_t> dealt_{0};
  std::atomic<bool> stopping_{false};
  std::atomic<bool> lost_{false};
  std::thread aside_;
};

}  // namespace

std::unique_ptr<Cluster> join_mpi(const MpiOptions& options) {
  int threads = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &threads);
  if (threads < MPI_THREAD_MULTIPLE) {
    fail("this MPI cannot be called by several threads; spml needs one that can, such as Open MPI");
  }
  return std::make_unique<MpiCluster>(options);
}

void tell_mpi(std::string_view error) {
  const size_t length = std::min(error.size(), kLongestError);
  MPI_Send(error.data(), static_cast<int>(length), MPI_CHAR, 0, kError, g_aside);
}

void abort_mpi(int code) {
  int finished = 0;
  MPI_Finalized(&finished);
  if (finished == 0) MPI_Abort(MPI_COMM_WORLD, code);
}

void finish_mpi() { MPI_Finalize(); }

}  // namespace spml
