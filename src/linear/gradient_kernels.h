// The update of linear training in two halves, where the gradient is summed over processes in
// between. Alone, both are one pass, in which the gradient is never stored (kernels.h).
#pragma once

#include <cstddef>

#include "linear/kernels.h"

namespace spml {

// Gradients are packed as the weights are, without the moments: chunk by chunk, (L, width) each.
constexpr size_t gradient_size(size_t features, size_t labels) {
  return padded_features(features) * labels;
}

// g = dz^T x for labels [first_label, last_label).
struct WeightGradient {
  size_t features = 0;  // D
  size_t labels = 0;    // L
  size_t first_label = 0, last_label = 0;
  size_t batch = 0;                // B; 0 gives zeros
  const float* rows = nullptr;     // packed
  const float* dlogits = nullptr;  // (L, B): transposed
  float* gradient = nullptr;
};
void weight_gradient(const WeightGradient& job);

// Adam's step with that gradient.
struct WeightUpdate {
  size_t features = 0;  // D
  size_t labels = 0;    // L
  size_t first_label = 0, last_label = 0;
  const float* gradient = nullptr;
  const AdamStep* adam = nullptr;
  float* weights = nullptr;  // packed W, m, v
};
void update_weights(const WeightUpdate& job);

}  // namespace spml
