// Which missing labels to ask about, and in what order.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "spml/view.h"

namespace spml {

struct Suggestion {
  int32_t row = 0;    // of the training file
  int32_t label = 0;  // 0 .. L-1
  float score = 0;    // the probability that it is present
};

// kUncertainty: closest to one half first.
enum class SuggestOrder { kScore, kUncertainty, kRandom };
SuggestOrder suggest_order_from(std::string_view name);  // Error naming the choices

struct RankingOptions {
  SuggestOrder order = SuggestOrder::kScore;
  std::optional<size_t> top = {};        // at most this many
  std::optional<double> min_score = {};  // only those with at least this score
  std::optional<size_t> per_class = {};  // at most this many of each label
  uint64_t seed = 0;                     // of kRandom
};

// Unknown labels in the order to ask about them; ties by row, then label. Row i of the views is row
// rows[i] of the training file.
std::vector<Suggestion> rank_missing(View<const float> probabilities, View<const int8_t> known,
                                     const std::vector<int32_t>& rows,
                                     const RankingOptions& options);

}  // namespace spml
