#pragma once

#include <cmath>

namespace spml {

inline double sigmoid(double z) { return 1 / (1 + std::exp(-z)); }

}  // namespace spml
