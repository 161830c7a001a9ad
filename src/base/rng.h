// Random numbers as a pure function of (seed, stream, counter): any part of a run can be repeated
// without replaying what came before. The paper's draws come from base/numpy_random.h instead.
#pragma once

#include <cstdint>

namespace spml {

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
  kAnnotator = 10,
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
