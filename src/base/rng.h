// Two random sources. NumpyRandom repeats NumPy's legacy RandomState bit for bit, because the
// paper's splits and label draws were made with it. CounterRng is a pure function of
// (seed, stream, counter): any part of a run can be repeated without replaying what came before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace spml {

class NumpyRandom {
 public:
  explicit NumpyRandom(uint32_t seed);

  uint32_t next_u32();
  // Uniform in [0, max], by masked rejection.
  uint32_t interval(uint32_t max);

  template <class T>
  void shuffle(std::span<T> items) {
    for (size_t i = items.size(); i-- > 1;) {
      std::swap(items[i], items[interval(static_cast<uint32_t>(i))]);
    }
  }

  std::vector<int32_t> permutation(size_t n);

 private:
  void refill();

  static constexpr size_t kWords = 624;
  uint32_t state_[kWords];
  size_t used_ = kWords;
};

// What a stream of random numbers is for; part of the key, so streams never overlap.
enum class Stream : uint32_t {
  kInitialWeights = 1,
  kInitialEstimates = 2,
  kBatchOrder = 3,
  kLossSampling = 4,
  kSynthetic = 5,
  kTrials = 6,
  kAugmentation = 7,
  kObserve = 8,
  kScenes = 9,
};

class CounterRng {
 public:
  CounterRng(uint64_t seed, Stream stream, uint64_t counter = 0);

  uint64_t next_u64();
  double uniform();            // [0, 1), 53 bits
  uint64_t below(uint64_t n);  // uniform in [0, n), n > 0
  double normal();             // mean 0, deviation 1

 private:
  uint64_t state_;
};

// The value that CounterRng(seed, stream, counter) yields first: for one number per index.
uint64_t random_u64(uint64_t seed, Stream stream, uint64_t counter);

inline double to_unit(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1.0p-53; }

}  // namespace spml
