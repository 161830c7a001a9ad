#include "review/store/answered_labels.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/memory_budget.h"

namespace spml::review {

LabelMatrix with_answers(const LabelMatrix& observed, const std::vector<NewAnswer>& answers) {
  const size_t N = observed.rows(), L = observed.cols();
  MemoryBudget().require(saturating_product(N, L), fmt::format("{} x {} labels", N, L));
  std::vector<int8_t> labels(N * L);
  for (size_t i = 0; i < N; ++i) observed.read_row(i, std::span(labels).subspan(i * L, L));
  for (const auto& [entry, answer] : answers) {
    if (answer != State::kYes && answer != State::kNo) continue;
    const size_t at = static_cast<size_t>(entry.row) * L + static_cast<size_t>(entry.label);
    labels.at(at) = answer == State::kYes ? 1 : -1;
  }
  return {std::move(labels), N, L};
}

// Reservoir sampling: after n entries, each of them is in the sample with probability size / n.
std::vector<Entry> draw_open(const LabelMatrix& observed, const std::vector<NewAnswer>& answers,
                             size_t size, std::mt19937_64& random, uint64_t& population) {
  std::vector<Entry> drawn;
  population = 0;
  std::vector<int8_t> labels(observed.cols());
  auto answered = answers.begin();  // sorted by entry
  for (size_t i = 0; i < observed.rows(); ++i) {
    observed.read_row(i, labels);
    for (size_t j = 0; j < labels.size(); ++j) {
      const Entry entry{static_cast<int32_t>(i), static_cast<int32_t>(j)};
      while (answered != answers.end() && answered->entry < entry) ++answered;
      if (labels[j] != 0 || (answered != answers.end() && answered->entry == entry)) continue;
      ++population;
      if (drawn.size() < size) {
        drawn.push_back(entry);
      } else {
        const uint64_t at = std::uniform_int_distribution<uint64_t>(0, population - 1)(random);
        if (at < size) drawn[at] = entry;
      }
    }
  }
  std::shuffle(drawn.begin(), drawn.end(), random);
  return drawn;
}

}  // namespace spml::review
