#include "data/observe.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/rng.h"

namespace spml {

void ObservedDraw::next_row(std::span<const int8_t> truth, std::span<int8_t> observed) {
  positives_.clear();
  negatives_.clear();
  for (size_t j = 0; j < truth.size(); ++j) (truth[j] == 1 ? positives_ : negatives_).push_back(j);
  // The authors' code shuffles both lists whatever is kept of them, which uses up random numbers.
  random_.shuffle(std::span(positives_));
  random_.shuffle(std::span(negatives_));
  std::ranges::fill(observed, int8_t{0});
  const auto mark = [&](const std::vector<size_t>& labels, size_t most, int8_t value) {
    for (size_t i = 0; i < std::min(most, labels.size()); ++i) observed[labels[i]] = value;
  };
  mark(positives_, options_.num_pos, 1);
  mark(negatives_, options_.num_neg, -1);
}

std::vector<bool> complete_rows(size_t rows, const ObserveOptions& options) {
  std::vector<bool> complete(rows, false);
  if (options.complete <= 0) return complete;
  std::vector<uint32_t> order(rows);
  std::iota(order.begin(), order.end(), uint32_t{0});
  CounterRng random(options.seed, Stream::kObserve, ~uint64_t{0});
  const auto count =
      static_cast<size_t>(std::lround(std::min(options.complete, 1.0) * static_cast<double>(rows)));
  for (size_t i = 0; i < count; ++i) {
    std::swap(order[i], order[i + random.below(rows - i)]);
    complete[order[i]] = true;
  }
  return complete;
}

LabelMatrix draw_observed(const LabelMatrix& truth, const ObserveOptions& options,
                          const MemoryBudget& memory) {
  const size_t L = truth.cols();
  // A byte for each label and, to choose complete rows, 32 bits and one bit for each row.
  const uint64_t choice = options.complete > 0 ? truth.rows() * sizeof(uint32_t) : 0;
  memory.require(saturating_sum(saturating_product(truth.rows(), L), choice, truth.rows() / 8),
                 fmt::format("{}: drawing observed labels from it", truth.source()));
  ObservedDraw draw(options);
  std::vector<int8_t> observed(truth.rows() * L), y(L);
  const std::vector<bool> complete = complete_rows(truth.rows(), options);
  for (size_t i = 0; i < truth.rows(); ++i) {
    truth.read_row(i, y);
    const auto row = std::span(observed).subspan(i * L, L);
    draw.next_row(y, row);
    if (!complete[i]) continue;
    for (size_t j = 0; j < L; ++j) row[j] = y[j] == 1 ? 1 : -1;
  }
  return LabelMatrix(std::move(observed), truth.rows(), L);
}

}  // namespace spml
