#include <algorithm>
#include <numeric>

#include "base/fail.h"
#include "base/parallel.h"
#include "metrics/inputs.h"
#include "metrics/ranking.h"

namespace spml {
namespace {

struct Sums {
  RankingAt at;
  size_t rows_with_positive = 0;
};

// `order` is scratch.
void add_row(std::span<const float> scores, std::span<const int8_t> truth, size_t cut,
             std::vector<size_t>& order, Sums& sums) {
  const auto positives = std::count_if(truth.begin(), truth.end(), [](int8_t y) { return y > 0; });
  if (positives == 0) return;
  order.resize(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(cut, order.size()));
  std::partial_sort(order.begin(), end, order.end(), [&](size_t a, size_t b) {
    return scores[a] > scores[b] || (scores[a] == scores[b] && a < b);
  });
  const auto hits = std::count_if(order.begin(), end, [&](size_t j) { return truth[j] > 0; });
  ++sums.rows_with_positive;
  sums.at.precision += static_cast<double>(hits) / static_cast<double>(end - order.begin());
  sums.at.recall += static_cast<double>(hits) / static_cast<double>(positives);
  sums.at.hit += hits > 0;
}

}  // namespace

RankingAt ranking_at(size_t cut, View<const float> scores, View<const int8_t> truth, int threads) {
  if (cut == 0) fail_usage("metrics: expected a cut of at least 1, found 0");
  check_metric_inputs(scores, truth);
  const size_t N = scores.rows, L = scores.cols;
  std::vector<Sums> blocks((N + kRankingBlock - 1) / kRankingBlock);
  parallel_for(blocks.size(), threads, [&](size_t b) {
    std::vector<size_t> order;
    for (size_t i = b * kRankingBlock; i < std::min(N, (b + 1) * kRankingBlock); ++i) {
      add_row({scores.row(i), L}, {truth.row(i), L}, cut, order, blocks[b]);
    }
  });
  Sums total;
  for (const Sums& block : blocks) {
    total.rows_with_positive += block.rows_with_positive;
    total.at.precision += block.at.precision;
    total.at.recall += block.at.recall;
    total.at.hit += block.at.hit;
  }
  if (total.rows_with_positive == 0) return {};
  return {total.at.precision / static_cast<double>(N),
          total.at.recall / static_cast<double>(total.rows_with_positive),
          total.at.hit / static_cast<double>(N)};
}

}  // namespace spml
