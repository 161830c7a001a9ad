#include "data/estimate_k.h"

#include <algorithm>
#include <numeric>

#include "base/fail.h"
#include "base/parallel.h"
#include "base/rng.h"

namespace spml {
namespace {

constexpr size_t kBlock = 5000;  // trials that one thread does in a row

size_t blocks(const KOptions& options) { return (options.trials + kBlock - 1) / kBlock; }

// The counts, a copy of them for each thread, what it swaps, and the mean of every trial.
uint64_t bytes_needed(const LabelMatrix& truth, const KOptions& options) {
  const uint64_t counts = saturating_product(truth.rows(), sizeof(uint32_t));
  if (options.sizes.empty()) return counts;
  const size_t most = *std::ranges::max_element(options.sizes);
  const uint64_t copies = std::min<uint64_t>(std::max(options.threads, 1), blocks(options));
  const uint64_t copy = saturating_sum(counts, saturating_product(most, sizeof(size_t)));
  return saturating_sum(counts, saturating_product(copies, copy),
                        saturating_product(options.trials, sizeof(double)));
}

std::vector<uint32_t> positives_per_row(const LabelMatrix& truth) {
  std::vector<uint32_t> counts(truth.rows());
  std::vector<int8_t> row(truth.cols());
  for (size_t i = 0; i < counts.size(); ++i) {
    truth.read_row(i, row);
    counts[i] = static_cast<uint32_t>(std::ranges::count(row, int8_t{1}));
  }
  return counts;
}

// The sum of M counts chosen without replacement: the first M steps of a Fisher-Yates shuffle,
// undone afterwards so that a trial depends on its own random numbers alone.
uint64_t sample_sum(std::span<uint32_t> counts, std::span<size_t> swapped, CounterRng random) {
  uint64_t sum = 0;
  for (size_t i = 0; i < swapped.size(); ++i) {
    swapped[i] = i + random.below(counts.size() - i);
    std::swap(counts[i], counts[swapped[i]]);
    sum += counts[i];
  }
  for (size_t i = swapped.size(); i-- > 0;) std::swap(counts[i], counts[swapped[i]]);
  return sum;
}

KInterval estimate_interval(const std::vector<uint32_t>& counts, size_t size,
                            const KOptions& options) {
  std::vector<double> means(options.trials);
  parallel_for(blocks(options), options.threads, [&](size_t block) {
    std::vector<uint32_t> shuffled = counts;
    std::vector<size_t> swapped(size);
    const size_t end = std::min(options.trials, (block + 1) * kBlock);
    for (size_t trial = block * kBlock; trial < end; ++trial) {
      const CounterRng random(options.seed, Stream::kTrials, trial);
      means[trial] =
          static_cast<double>(sample_sum(shuffled, swapped, random)) / static_cast<double>(size);
    }
  });
  std::ranges::sort(means);
  return {size, percentile(means, 0.05), percentile(means, 0.95)};
}

}  // namespace

KEstimate estimate_k(const LabelMatrix& truth, const KOptions& options,
                     const MemoryBudget& memory) {
  if (truth.empty()) fail("expected truth to estimate k from, found none");
  if (options.trials == 0) fail("expected at least one trial");
  for (const size_t size : options.sizes) {
    if (size == 0 || size > truth.rows()) {
      fail("{}: expected sample sizes from 1 to its {} rows, found {}", truth.source(),
           truth.rows(), size);
    }
  }
  memory.require(bytes_needed(truth, options),
                 fmt::format("{}: estimating k from it", truth.source()));
  const std::vector<uint32_t> counts = positives_per_row(truth);
  KEstimate estimate;
  estimate.k = static_cast<double>(std::accumulate(counts.begin(), counts.end(), uint64_t{0})) /
               static_cast<double>(counts.size());
  for (const size_t size : options.sizes) {
    estimate.intervals.push_back(estimate_interval(counts, size, options));
  }
  return estimate;
}

double percentile(std::span<const double> ascending, double q) {
  const double position = q * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<size_t>(position);
  if (below + 1 >= ascending.size()) return ascending.back();
  const double share = position - static_cast<double>(below);
  return ascending[below] + share * (ascending[below + 1] - ascending[below]);
}

}  // namespace spml
