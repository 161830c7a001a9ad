// Value and gradients of every loss on one batch: B = 16, L = 20 (VOC) and 80 (COCO).
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "base/rng.h"
#include "loss/info.h"

namespace spml {
namespace {

void evaluate(benchmark::State& state, const LossInfo& info) {
  const size_t B = 16, L = static_cast<size_t>(state.range(0)), n = B * L;
  CounterRng rng(1, Stream::kSynthetic);
  std::vector<float> z(n), u(n), dz(n), du(n);
  std::vector<int8_t> observed(n, 0);
  for (size_t i = 0; i < n; ++i) {
    z[i] = static_cast<float>(3 * rng.normal());
    u[i] = static_cast<float>(rng.normal());
  }
  for (size_t i = 0; i < B; ++i) observed[i * L + rng.below(L)] = 1;

  const auto loss = make_loss(info.name, {.labels = L, .k = 1.5, .params = {}});
  std::vector<float> scratch(loss->scratch_per_entry() * n);
  LossInput in;
  LossOutput out;
  in.logits = {z.data(), B, L};
  in.observed = {observed.data(), B, L};
  out.logits = {dz.data(), B, L};
  out.scratch = scratch;
  if (info.uses_estimates) {
    in.estimates = {u.data(), B, L};
    out.estimates = {du.data(), B, L};
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(loss->evaluate(in, out));
    benchmark::ClobberMemory();
  }
  state.counters["per_entry"] =
      benchmark::Counter(static_cast<double>(n), benchmark::Counter::kIsIterationInvariantRate |
                                                     benchmark::Counter::kInvert);
}

const bool registered = [] {
  for (const LossInfo* info : all_losses()) {
    benchmark::RegisterBenchmark(std::string(info->name).c_str(),
                                 [info](benchmark::State& state) { evaluate(state, *info); })
        ->Arg(20)
        ->Arg(80);
  }
  return true;
}();

}  // namespace
}  // namespace spml
