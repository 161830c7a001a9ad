#include "metrics/ranking.h"

#include <algorithm>
#include <span>

#include "base/parallel.h"
#include "metrics/inputs.h"

namespace spml {
namespace {

constexpr size_t kCuts = kRankingCuts.size();
constexpr size_t kDeepest = kRankingCuts.back();

struct RankingSums {
  std::array<double, kCuts> precision{}, recall{}, hit{};
  size_t rows_with_positive = 0;
};

// The first kDeepest labels (or all L) by score; of equal scores the lower index comes first.
size_t top_labels(std::span<const float> scores, std::array<size_t, kDeepest>& top) {
  size_t found = 0;
  for (size_t j = 0; j < scores.size(); ++j) {
    if (found == kDeepest && scores[j] <= scores[top[found - 1]]) continue;
    size_t place = found < kDeepest ? found++ : found - 1;
    for (; place > 0 && scores[j] > scores[top[place - 1]]; --place) top[place] = top[place - 1];
    top[place] = j;
  }
  return found;
}

void add_row(std::span<const float> scores, std::span<const int8_t> truth, RankingSums& sums) {
  const auto positives = std::count_if(truth.begin(), truth.end(), [](int8_t y) { return y > 0; });
  if (positives == 0) return;
  ++sums.rows_with_positive;
  std::array<size_t, kDeepest> top{};
  const size_t found = top_labels(scores, top);
  for (size_t c = 0; c < kCuts; ++c) {
    const size_t depth = std::min(found, static_cast<size_t>(kRankingCuts[c]));
    const auto hits =
        std::count_if(top.begin(), top.begin() + depth, [&](size_t j) { return truth[j] > 0; });
    sums.precision[c] += static_cast<double>(hits) / static_cast<double>(depth);
    sums.recall[c] += static_cast<double>(hits) / static_cast<double>(positives);
    sums.hit[c] += hits > 0;
  }
}

}  // namespace

RankingResult ranking_metrics(View<const float> scores, View<const int8_t> truth, int threads) {
  RankingTotals totals;
  totals.add_rows(scores, truth, threads);
  return totals.result();
}

// Sums are made by blocks of a fixed size, so that they do not depend on the number of threads.
void RankingTotals::add_rows(View<const float> scores, View<const int8_t> truth, int threads) {
  check_metric_inputs(scores, truth);
  const size_t N = scores.rows, L = scores.cols;
  std::vector<RankingSums> blocks((N + kRankingBlock - 1) / kRankingBlock);
  parallel_for(blocks.size(), threads, [&](size_t b) {
    for (size_t i = b * kRankingBlock; i < std::min(N, (b + 1) * kRankingBlock); ++i) {
      add_row({scores.row(i), L}, {truth.row(i), L}, blocks[b]);
    }
  });
  rows_ += N;
  for (const RankingSums& block : blocks) {
    rows_with_positive_ += block.rows_with_positive;
    for (size_t c = 0; c < kCuts; ++c) {
      precision_[c] += block.precision[c];
      recall_[c] += block.recall[c];
      hit_[c] += block.hit[c];
    }
  }
}

RankingResult RankingTotals::result() const {
  RankingResult result;
  if (rows_with_positive_ == 0) return result;
  for (size_t c = 0; c < kCuts; ++c) {
    result.precision_at[c] = precision_[c] / static_cast<double>(rows_);
    result.recall_at[c] = recall_[c] / static_cast<double>(rows_with_positive_);
    result.hit_at[c] = hit_[c] / static_cast<double>(rows_);
  }
  return result;
}

double expected_positives(View<const float> probabilities) {
  double sum = 0;
  for (const float p : probabilities.flat()) sum += p;
  return probabilities.rows > 0 ? sum / static_cast<double>(probabilities.rows) : 0;
}

}  // namespace spml
