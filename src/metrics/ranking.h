// Metrics of scores that come block by block. For all at once: include/spml/metrics.h.
#pragma once

#include "spml/metrics.h"

namespace spml {

// As ranking_metrics(). The result does not depend on the number of threads, and not on the blocks
// as long as they are multiples of kRankingBlock rows.
inline constexpr size_t kRankingBlock = 1024;
class RankingTotals {
 public:
  void add_rows(View<const float> scores, View<const int8_t> truth, int threads = 1);
  RankingResult result() const;

 private:
  std::array<double, 3> precision_{}, recall_{}, hit_{};
  size_t rows_ = 0, rows_with_positive_ = 0;
};

// As f1_scores(), of labels that come block by block, with the thresholds of the block.
class F1Counts {
 public:
  void add_labels(View<const float> scores, View<const int8_t> truth,
                  std::span<const float> thresholds);
  F1Result result() const;

 private:
  std::vector<size_t> hits_, predicted_, positives_;  // by label
};

}  // namespace spml
