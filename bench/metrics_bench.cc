// Metrics at the size of COCO's test split: 40,000 rows, 80 classes, 3.6 % positive.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "spml/metrics.h"
#include "spml/view.h"

namespace spml {
namespace {

constexpr size_t kRows = 40000, kLabels = 80;

struct Scored {
  std::vector<float> scores = std::vector<float>(kRows * kLabels);
  std::vector<int8_t> truth = std::vector<int8_t>(kRows * kLabels);

  Scored() {
    CounterRng rng(1, Stream::kSynthetic);
    for (size_t i = 0; i < scores.size(); ++i) {
      truth[i] = rng.uniform() < 0.036;
      scores[i] = static_cast<float>(rng.normal() + 2.0 * truth[i]);
    }
  }
  View<const float> score_view() const { return {scores.data(), kRows, kLabels}; }
  View<const int8_t> truth_view() const { return {truth.data(), kRows, kLabels}; }
};

const Scored& data() {
  static const Scored scored;
  return scored;
}

void mean_average_precision(benchmark::State& state) {
  const auto threads = static_cast<int>(state.range(0));
  for (auto _ : state) {
    const auto result =
        spml::mean_average_precision(data().score_view(), data().truth_view(), threads);
    benchmark::DoNotOptimize(result.map);
  }
}
BENCHMARK(mean_average_precision)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

void ranking(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(ranking_metrics(data().score_view(), data().truth_view()));
  }
}
BENCHMARK(ranking)->Unit(benchmark::kMillisecond);

void tune_thresholds(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(spml::tune_thresholds(data().score_view(), data().truth_view()));
  }
}
BENCHMARK(tune_thresholds)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace spml
