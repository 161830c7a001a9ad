// What the image benchmarks share: time, and arithmetic as the measure of what is possible.
#pragma once

#include <time.h>
#include <torch/torch.h>

#include <cmath>
#include <functional>

#include "vision/weights/resnet_layout.h"

namespace spml {

// Of wall time; on one thread, of the processor time of the whole process, which does not count
// what others do on the machine.
inline double seconds_of(int threads, const std::function<void()>& job) {
  const auto now = [&] {
    timespec t{};
    ::clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  const double start = now();
  job();
  return now() - start;
}

// Multiplications and additions of the convolutions for one image.
inline double flops_per_image(const ResNetLayout& net, int size) {
  const auto cost = [](const ConvLayout& c, double side) {
    return 2.0 * static_cast<double>(c.in * c.out * c.kernel * c.kernel) * side * side;
  };
  const auto halved = [](double side, size_t stride) {
    return stride == 1 ? side : std::ceil(side / 2);
  };
  double side = halved(size, 2);
  double total = cost(net.stem, side);
  side = halved(side, 2);  // the max pool
  for (const BlockLayout& block : net.blocks) {
    double inner = side;
    for (const ConvLayout& c : block.path) total += cost(c, inner = halved(inner, c.stride));
    if (block.shortcut) total += cost(*block.shortcut, inner);
    side = inner;
  }
  return total;
}

// The best of a few large matrix products: what BLAS reaches is the practical peak.
inline double peak_flops(int threads) {
  at::set_num_threads(threads);
  constexpr int64_t kSide = 3072;
  const torch::Tensor a = torch::randn({kSide, kSide}), b = torch::randn({kSide, kSide});
  double best = 1e30;
  for (int i = 0; i < 5; ++i) best = std::min(best, seconds_of(threads, [&] { torch::mm(a, b); }));
  return 2.0 * kSide * kSide * kSide / best;
}

}  // namespace spml
