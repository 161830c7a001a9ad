// What every metric asks of its inputs.
#pragma once

#include <cstdint>

#include "spml/view.h"

namespace spml {

// Error unless scores and truth have one shape (N, L) and every score is finite; the message names
// the first row and column, from 0, that is not.
void check_metric_inputs(View<const float> scores, View<const int8_t> truth);

}  // namespace spml
