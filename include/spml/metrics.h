// How good scores are: average precision as the paper and scikit-learn compute it, metrics of each
// row's ranking, and F1 at thresholds.
//
// Everywhere scores and truth are (N, L); truth > 0 is positive, anything else negative. Scores
// must be finite: Error names the row and column otherwise. Results do not depend on `threads`.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "spml/view.h"

namespace spml {

// Of one class, in [0, 1]; ties are grouped, no positives give 0.
double average_precision(std::span<const float> scores, std::span<const int8_t> truth);

struct MapResult {
  double map = 0;                    // percent; a class without positives counts as 0
  double map_nonempty = 0;           // percent; mean over classes that have a positive; NaN if none
  std::vector<double> per_class_ap;  // in [0, 1], L values; 0 for a class without positives
  std::vector<uint8_t> has_positive;  // L values
};
MapResult mean_average_precision(View<const float> scores, View<const int8_t> truth,
                                 int threads = 1);

// Means over rows, in [0, 1]. Labels are ranked by score, ties by the lower label index first; a
// cut larger than L counts as L. Rows without a positive count 0 for precision and hit and are
// left out of recall.
struct RankingAt {
  double precision = 0, recall = 0, hit = 0;
};
RankingAt ranking_at(size_t cut, View<const float> scores, View<const int8_t> truth,
                     int threads = 1);

// The same at three cuts in one pass.
inline constexpr std::array<int, 3> kRankingCuts = {1, 3, 5};
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
