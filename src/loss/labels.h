// The labels a loss trains on, from what was observed and what is true.
#pragma once

#include "loss/info.h"

namespace spml {

// Writes to `out` (n, L) what `info.needs` asks for:
//   kObserved, kNegatives  observed as it is
//   kTruth                 +1 where truth is 1, -1 where it is 0; observed may be empty
//   kTrueNegatives         +1 observed positives, -1 where truth is 0, 0 elsewhere
// truth (0/1) may be empty; where it is needed that is an Error, unless observed leaves nothing
// unknown. An observed label that contradicts the truth is an Error with row and column.
void prepare_labels(const LossInfo& info, View<const int8_t> observed, View<const int8_t> truth,
                    View<int8_t> out);

}  // namespace spml
