// The inner loops of linear training: one pass over the weights a step.
//
// Layout. Features are cut into chunks of kChunk columns (the last one shorter, padded with zeros
// to kPad). A batch is packed chunk by chunk, (B, width) each; the weights chunk by chunk, label by
// label, as W, m and v of that label's chunk side by side: (L, 3, width) each. So all that a chunk
// needs is contiguous and stays in the first-level cache while it is used.
//
// A pass takes each chunk once: gradient of the previous batch and Adam update, fused, then the
// new weights' share of the next batch's logits. The gradient is never stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "spml/choices.h"
#include "spml/view.h"
#include "train/adam.h"

namespace spml {

inline constexpr size_t kChunk = 128;
inline constexpr size_t kPad = 16;  // floats; the widest vector of any target

constexpr size_t padded_features(size_t features) { return (features + kPad - 1) / kPad * kPad; }

// What to do with each feature row as it is read. See features.h for the choice of kind.
struct RowTransform {
  TransformKind kind = TransformKind::kNone;
  const float* mean = nullptr;           // (D) for kStandardize
  const float* inverse_scale = nullptr;  // (D) for kStandardize
};

// Packs one row of D features, float32 or raw float16, as row b of a batch of B.
void pack_row(const float* row, size_t features, const RowTransform& transform, size_t b,
              size_t batch, float* packed);
void pack_row(const uint16_t* row, size_t features, const RowTransform& transform, size_t b,
              size_t batch, float* packed);

// A pass over the weights of labels [first_label, last_label).
struct LinearPass {
  size_t features = 0;  // D
  size_t labels = 0;    // L
  size_t first_label = 0, last_label = 0;
  float* weights = nullptr;  // packed W, m, v

  // The update; skipped when update_batch is 0.
  size_t update_batch = 0;
  const float* update_rows = nullptr;  // packed
  const float* dlogits = nullptr;      // (L, B): transposed
  const AdamStep* adam = nullptr;

  // The logits; skipped when forward_batch is 0.
  size_t forward_batch = 0;
  const float* forward_rows = nullptr;  // packed
  const float* bias = nullptr;          // (L)
  float* logits = nullptr;              // (B, L)
  float* sums = nullptr;                // accumulators_size(L, B) floats of scratch, aligned
};

constexpr size_t accumulators_size(size_t labels, size_t batch) { return labels * batch * kPad; }

void linear_pass(const LinearPass& pass);

// The way back through the layer, for rows [first_row, last_row) of the batch: dx = dz W.
struct InputGradient {
  size_t features = 0;             // D
  size_t labels = 0;               // L
  size_t batch = 0;                // B
  const float* weights = nullptr;  // packed W, m, v
  const float* dlogits = nullptr;  // (L, B): transposed
  float* dinputs = nullptr;        // (B, D)
  size_t first_row = 0, last_row = 0;
};
void input_gradient(const InputGradient& job);

}  // namespace spml
