// Drawing observed labels from truth, bit-exact with the authors' code.
#pragma once

#include <cstdint>
#include <vector>

#include "data/dataset.h"

namespace spml {

struct ObserveOptions {
  size_t num_pos = 1;
  size_t num_neg = 0;
  uint32_t seed = 1200;
};

// N x L in {-1, 0, +1}: per row, num_pos of the positives and num_neg of the negatives, chosen by
// RandomState(seed) shuffles over the whole file (see docs/formats.md). Rows with fewer keep all.
LabelMatrix draw_observed(const LabelMatrix& truth, const ObserveOptions& options);

}  // namespace spml
