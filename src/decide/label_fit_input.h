// The held-out rows that label_fit.h learns from.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "spml/matrix.h"

namespace spml {

struct LabelFitInput {
  View<const float> logits;           // (N, L) of rows the classifier was not trained on
  View<const int8_t> labels;          // (N, L): +1, 0 unknown, -1; a row without 0 is complete
  std::span<const double> frequency;  // (L) share of rows observed positive, of all rows there are
  bool rows_may_be_empty = false;     // a row without an observed label has none
  bool want_interval = true;          // of k: takes several times as long
  bool want_alternatives = false;     // curves for other preferences of annotators
  int threads = 1;                    // the result does not depend on it
  std::optional<double> k = {};       // labels of a row, where they are known from elsewhere
  bool hold_k = false;                // to that, whatever these scores say
  std::function<void()> between_parts = {};  // called now and then; may throw to stop
};

}  // namespace spml
