// How observed labels are drawn from truth (data/observe.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace spml {

struct ObserveOptions {
  size_t num_pos = 1;
  size_t num_neg = 0;
  uint32_t seed = 1200;
};

}  // namespace spml
