// Metrics of each row's ranking, and of thresholded predictions.
#pragma once

#include <array>
#include <cstdint>
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

struct F1Result {
  double micro = 0, macro = 0;  // in [0, 1]; a class with no positive and no prediction counts 0
};
// A score >= its class's threshold is a prediction. thresholds: L values.
F1Result f1_scores(View<const float> scores, View<const int8_t> truth,
                   const std::vector<float>& thresholds);

// Per class, the threshold with the best F1 on these scores (the highest one among equals; halfway
// to the next lower score where there is one). 0.5 for a class with no positive.
std::vector<float> tune_thresholds(View<const float> scores, View<const int8_t> truth,
                                   int threads = 1);

// The mean number of positives per row that probabilities predict: the sum of p over N.
double expected_positives(View<const float> probabilities);

}  // namespace spml
