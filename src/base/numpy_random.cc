#include "base/numpy_random.h"

#include <bit>
#include <numeric>

namespace spml {

uint32_t NumpyRandom::interval(uint32_t max) {
  if (max == 0) return 0;
  const uint32_t mask = ~uint32_t{0} >> std::countl_zero(max);
  uint32_t value;
  do {
    value = next_u32() & mask;
  } while (value > max);
  return value;
}

std::vector<int32_t> NumpyRandom::permutation(size_t n) {
  std::vector<int32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  shuffle(std::span<int32_t>(order));
  return order;
}

}  // namespace spml
