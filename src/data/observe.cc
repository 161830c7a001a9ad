#include "data/observe.h"

#include <fmt/core.h>

#include <algorithm>

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

LabelMatrix draw_observed(const LabelMatrix& truth, const ObserveOptions& options,
                          const MemoryBudget& memory) {
  const size_t L = truth.cols();
  memory.require(saturating_product(truth.rows(), L),
                 fmt::format("{}: drawing observed labels from it", truth.source()));
  ObservedDraw draw(options);
  std::vector<int8_t> observed(truth.rows() * L), y(L);
  for (size_t i = 0; i < truth.rows(); ++i) {
    truth.read_row(i, y);
    draw.next_row(y, std::span(observed).subspan(i * L, L));
  }
  return LabelMatrix(std::move(observed), truth.rows(), L);
}

}  // namespace spml
