// What the probabilities of unknown labels are computed from.
#pragma once

#include <functional>
#include <optional>

#include "spml/matrix.h"

namespace spml {

// The known labels of n rows, and scores by classifiers that did not see those rows. Either kind of
// scores may be empty, but not both.
struct Evidence {
  View<const int8_t> known;    // (n, L): +1, 0 unknown, -1
  View<const float> logits;    // (n, L) by the run's own kind of classifier
  View<const float> left_out;  // (n, L) by the classifier of known labels
  int threads = 1;
  View<const int8_t> before =
      {};  // (n, L): known before the first question; empty if there is no record
  std::function<void()> between_parts = {};  // called now and then; may throw to stop
  std::optional<double> k = {};              // labels per row, if known or guessed
  bool k_is_guess = false;                   // an upper bound only
};

}  // namespace spml
