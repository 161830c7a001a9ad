// What an exchange between ranks costs, by size: the median of many, at rank 0.
//   mpirun -n 2 exchange_bench
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "mpi/mpi_cluster.h"

namespace {

using Clock = std::chrono::steady_clock;

double median_seconds(spml::Cluster& cluster, int times, const auto& exchange) {
  std::vector<double> seconds;
  for (int i = 0; i < times; ++i) {
    cluster.barrier();
    const auto start = Clock::now();
    exchange();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  std::ranges::nth_element(seconds, seconds.begin() + times / 2);
  return seconds[static_cast<size_t>(times) / 2];
}

}  // namespace

int main() {
  const auto cluster = spml::join_mpi(
      {60, [](int, double) { std::abort(); }, [](int, const std::string&) { std::abort(); }});
  const auto print = [&](const std::string& what, size_t bytes, double seconds) {
    if (!cluster->is_first()) return;
    fmt::print("{}: {:.1f} us, {:.2f} GB/s\n", what, 1e6 * seconds,
               1e-9 * static_cast<double>(bytes) / seconds);
  };
  double sums[2] = {1, 2};
  print("sum of 2 doubles", sizeof(sums),
        median_seconds(*cluster, 1000, [&] { cluster->sum(std::span<double>(sums)); }));
  for (size_t floats = 1 << 10; floats <= 1 << 24; floats *= 8) {
    std::vector<float> values(floats, 1);
    const int times = floats > 1 << 20 ? 10 : 100;
    print(fmt::format("sum of {} floats", floats), floats * sizeof(float),
          median_seconds(*cluster, times, [&] { cluster->sum(std::span<float>(values)); }));
  }
  spml::finish_mpi();
}
