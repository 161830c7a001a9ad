// A linear classifier as numbers: z = weight x + bias.
#pragma once

#include <vector>

namespace spml {

struct LinearFit {
  std::vector<float> weight, bias;  // (L, D), (L)
};

}  // namespace spml
