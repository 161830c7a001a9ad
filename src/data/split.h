// Which rows of the training file are train and which are val, bit-exact with the authors' code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spml {

struct Split {
  std::vector<int32_t> train;  // ascending rows of the training file
  std::vector<int32_t> val;    // ascending
};

// The last round(fraction * n) of RandomState(seed).permutation(n) are val; both parts sorted.
Split split_rows(size_t n, double val_fraction = 0.2, uint32_t seed = 1200);

// Figure 1's subsampling: sort(RandomState(seed).permutation(n)[:round(fraction * n)]) of `rows`.
std::vector<int32_t> subsample_rows(const std::vector<int32_t>& rows, double fraction,
                                    uint32_t seed = 999);

}  // namespace spml
