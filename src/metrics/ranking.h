// Metrics of each row's ranking, and of thresholded predictions.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "spml/view.h"

namespace spml {

inline constexpr std::array<int, 3> kRankingCuts = {1, 3, 5};

// Means over rows, in [0, 1]. Labels are ranked by score, ties by the lower label index first; a
// cut larger than L counts as L. Rows without a positive count 0 for precision and hit and are
// left out of recall.
struct RankingResult {
  std::array<double, 3> precision_at{}, recall_at{}, hit_at{};  // at kRankingCuts
};
RankingResult ranking_metrics(View<const float> scores, View<const int8_t> truth, int threads = 1);

// The same for rows that come block by block. The result does not depend on the number of threads,
// and not on the blocks as long as they are multiples of kRankingBlock rows.
inline constexpr size_t kRankingBlock = 1024;
class RankingTotals {
 public:
  void add_rows(View<const float> scores, View<const int8_t> truth, int threads = 1);
  RankingResult result() const;

 private:
  std::array<double, 3> precision_{}, recall_{}, hit_{};
  size_t rows_ = 0, rows_with_positive_ = 0;
};

struct F1Result {
  double micro = 0, macro = 0;  // in [0, 1]; a class with no positive and no prediction counts 0
};
// A score >= its class's threshold is a prediction. thresholds: L values.
F1Result f1_scores(View<const float> scores, View<const int8_t> truth,
                   const std::vector<float>& thresholds);

// The same for labels that come block by block, with the thresholds of the block.
class F1Counts {
 public:
  void add_labels(View<const float> scores, View<const int8_t> truth,
                  std::span<const float> thresholds);
  F1Result result() const;

 private:
  std::vector<size_t> hits_, predicted_, positives_;  // by label
};

// Per class, the threshold with the best F1 on these scores (the highest one among equals; halfway
// to the next lower score where there is one). 0.5 for a class with no positive.
std::vector<float> tune_thresholds(View<const float> scores, View<const int8_t> truth,
                                   int threads = 1);

// The mean number of positives per row that probabilities predict: the sum of p over N.
double expected_positives(View<const float> probabilities);

}  // namespace spml
