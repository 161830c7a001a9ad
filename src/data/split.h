// Which rows of the training file are trained on, bit-exact with the authors' code; the split into
// train and val is in include/spml/data.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "spml/data.h"

namespace spml {

// Figure 1's subsampling: sort(RandomState(seed).permutation(n)[:round(fraction * n)]) of `rows`.
std::vector<int32_t> subsample_rows(const std::vector<int32_t>& rows, double fraction,
                                    uint32_t seed = 999);

// Splits that hold out different rows, at most `count` of them and no more than there are rows for:
// the first is split_rows(), the next hold out the shares before it in the same permutation.
std::vector<Split> split_folds(size_t n, double val_fraction, uint32_t seed, size_t count);

}  // namespace spml
