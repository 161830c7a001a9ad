// A linear layer that is not the first: its inputs are in memory, and the gradient goes on to them.
#pragma once

#include "linear/linear_model.h"

namespace spml {

class InnerLayer {
 public:
  explicit InnerLayer(const LinearConfig& config);
  InnerLayer(const InnerLayer&) = delete;
  InnerLayer& operator=(const InnerLayer&) = delete;

  // (B, D), to be filled before forward().
  View<float> inputs() { return {inputs_.data(), rows_.size(), model_.features()}; }
  // (B, L), valid until the next call.
  View<const float> forward() { return model_.forward(rows_); }
  // One optimiser step; gives dLoss/dinputs (B, D), by the weights before it.
  View<float> backward(View<const float> dlogits);

  // Logits of other inputs (n, D).
  void predict(View<const float> inputs, View<float> logits);

  // For states and weights. It lives on this layer's buffers.
  LinearModel& model() { return model_; }
  const LinearModel& model() const { return model_; }

 private:
  AlignedVector<float> inputs_, dinputs_;  // (B, D)
  FeatureMatrix source_;                   // of inputs_
  std::vector<int32_t> rows_;              // 0 .. B-1
  LinearModel model_;
};

}  // namespace spml
