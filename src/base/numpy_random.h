// NumPy's legacy RandomState, bit for bit, because the paper's splits and label draws were made
// with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace spml {

class NumpyRandom {
 public:
  explicit NumpyRandom(uint32_t seed) : engine_(seed) {}

  uint32_t next_u32() { return static_cast<uint32_t>(engine_()); }
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
  std::mt19937 engine_;  // seeded by init_genrand, as RandomState(seed) is
};

}  // namespace spml
