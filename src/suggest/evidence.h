// What the probabilities of unknown labels are computed from.
#pragma once

#include <functional>
#include <optional>

#include "spml/matrix.h"

namespace spml {

// What is known of n rows, and what classifiers that did not see them say. Either kind of scores
// may be empty, not both.
struct Evidence {
  View<const int8_t> known;    // (n, L): +1, 0 unknown, -1
  View<const float> logits;    // (n, L) of the run's own kind of classifier
  View<const float> left_out;  // (n, L) of the classifier of known labels
  int threads = 1;
  View<const int8_t> before = {};  // (n, L): known before the first question; empty: nobody knows
  std::function<void()> between_parts = {};  // called now and then; may throw to stop
  std::optional<double> k = {};              // labels of a row, where the run knows or has a guess
  bool k_is_guess = false;                   // then there may be fewer, but not more
};

}  // namespace spml
