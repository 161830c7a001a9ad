// One Adam step in one pass over memory: a network's optimiser is bound by memory, not arithmetic.
#pragma once

#include <span>

#include "train/adam.h"

namespace spml {

// All spans have the same length: weights, their gradient and Adam's two moments.
void adam_update(const AdamStep& step, std::span<float> w, std::span<const float> g,
                 std::span<float> m, std::span<float> v, int threads);

}  // namespace spml
