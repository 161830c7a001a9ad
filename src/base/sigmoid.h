// 1 / (1 + exp(-z)) for many values at once.
#pragma once

#include <span>

namespace spml {

void sigmoid_in_place(std::span<float> values);

}  // namespace spml
