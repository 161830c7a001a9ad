// Mean average precision as the paper and scikit-learn compute it.
#pragma once

#include <cstdint>
#include <vector>

#include "spml/view.h"

namespace spml {

struct MapResult {
  double map = 0;                    // percent; a class without positives counts as 0
  double map_nonempty = 0;           // percent; mean over classes that have a positive; NaN if none
  std::vector<double> per_class_ap;  // in [0, 1], L values; 0 for a class without positives
  std::vector<uint8_t> has_positive;  // L values
};

// scores and truth are (N, L); truth > 0 is positive, anything else negative. Ties are grouped.
// Scores must be finite (Error names the row and column otherwise). Classes are spread over
// `threads`; the result does not depend on it.
MapResult mean_average_precision(View<const float> scores, View<const int8_t> truth,
                                 int threads = 1);

// Adds the classes of `more` behind those of `result`; summarise() then gives the mean over all.
void append(MapResult& result, const MapResult& more);

// Sets map and map_nonempty from the per-class values.
void summarise(MapResult& result);

}  // namespace spml
