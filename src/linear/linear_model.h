// A linear layer with bias on fixed features, trained by Adam. See kernels.h for the layout.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/aligned.h"
#include "base/memory_budget.h"
#include "base/team.h"
#include "data/dataset.h"
#include "linear/features.h"
#include "linear/kernels.h"
#include "train/label_part.h"
#include "train/model.h"
#include "train/row_part.h"

namespace spml {

struct LinearConfig {
  size_t features = 0;  // D
  size_t labels = 0;    // L
  size_t batch = 16;    // B
  AdamConfig adam;
  int threads = 1;  // at most; small steps use fewer
  uint64_t seed = 0;
  std::string name = "model";          // of its tensors in checkpoints
  MemoryBudget memory = {};            // Error when the model needs more
  std::optional<LabelPart> part = {};  // of how many labels these are, where several share them
  RowPart rows = {};                   // where each process has rows of its own
};

class LinearModel : public Model {
 public:
  // Starts at weights and bias uniform in +-1/sqrt(D). The feature sources must outlive the model;
  // `test` may be null.
  LinearModel(const LinearConfig& config, const FeatureTransform& transform,
              const FeatureMatrix* train_file, const FeatureMatrix* test);

  View<const float> forward(std::span<const int32_t> rows) override;
  void prefetch(std::span<const int32_t> rows) override;
  void backward(View<const float> dlogits) override;
  void finish_step() override;
  void average_over_ranks() override;
  // dLoss/dx (B, D) of the batch that backward() was just called for.
  void input_gradient(View<float> dinputs);
  void predict(Part part, std::span<const int32_t> rows, size_t first_label,
               View<float> out) override;
  bool predicts_label_blocks() const override { return true; }
  void keep_best() override { best_ = current(); }
  void restore_best() override;
  void save_state(SafetensorsWriter& out) override;
  void load_state(const SafetensorsFile& in) override;
  void load_labels(const SafetensorsFile& in, const LabelPart& from) override;
  void save_model(SafetensorsWriter& out) override;

  size_t labels() const { return config_.labels; }
  size_t features() const { return config_.features; }
  // Plain (L, D) weights and (L) bias.
  std::vector<float> weight() const;
  const AlignedVector<float>& bias() const { return bias_; }
  // Error when they are of another size.
  void set_weights(std::span<const float> weight, std::span<const float> bias);

  // The sources given at construction are no longer there; only the next function may be used.
  void forget_sources() { train_file_ = test_ = nullptr; }
  // Logits of rows of any matrix of the right width; Error for another.
  void predict(const FeatureMatrix& source, std::span<const int32_t> rows, size_t first_label,
               View<float> out);
  // The same of a model that is not in training: no step is pending, and several threads may ask at
  // once. Each uses up to `threads` more.
  void score(const FeatureMatrix& source, std::span<const int32_t> rows, size_t first_label,
             View<float> out, int threads) const;
  const FeatureTransform& transform() const { return transform_; }

 private:
  void check_prediction(const FeatureMatrix& source, std::span<const int32_t> rows,
                        size_t first_label, View<float> out) const;
  void pass(size_t update_batch, size_t forward_batch);
  void update_bias(const AdamStep& step);
  bool sums_gradients() const { return config_.rows.is_split() && config_.rows.sync_every == 1; }
  void update_with_others();
  float* packed_weight(size_t label, size_t feature, size_t which);
  // Weights and bias without the optimiser's state: (L, D) then (L).
  std::vector<float> current() const;

  LinearConfig config_;
  LabelPart part_;
  FeatureTransform transform_;
  const FeatureMatrix* train_file_;
  const FeatureMatrix* test_;
  Team team_;

  AlignedVector<float> packed_;                  // W, m, v
  AlignedVector<float> bias_, bias_m_, bias_v_;  // (L)
  uint64_t step_ = 0;                            // optimiser steps carried out
  bool pending_ = false;                         // dlogits_ waits for its update
  size_t pending_rows_ = 0;                      // of its batch, of which others may have some
  AlignedVector<float> rows_, previous_rows_;    // packed batches
  AlignedVector<float> dlogits_;                 // (L, B)
  AlignedVector<float> logits_;                  // (B, L)
  AlignedVector<float> sums_;
  AlignedVector<float> gradient_;    // of weights, packed, then of the bias; else empty
  std::vector<float> best_, plain_;  // (L, D) then (L)
};

}  // namespace spml
