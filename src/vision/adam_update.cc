#include "vision/adam_update.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"

namespace spml {

void adam_update(const AdamStep& step, std::span<float> w, std::span<const float> g,
                 std::span<float> m, std::span<float> v, int threads) {
  constexpr size_t kBlock = size_t{1} << 16;
  const size_t n = w.size();
  parallel_for((n + kBlock - 1) / kBlock, threads, [&](size_t block) {
    const AdamStep k = step;
    const size_t end = std::min(n, (block + 1) * kBlock);
    for (size_t i = block * kBlock; i < end; ++i) {
      adam_update(k, g[i] + k.decay * w[i], w[i], m[i], v[i]);
    }
  });
}

}  // namespace spml
