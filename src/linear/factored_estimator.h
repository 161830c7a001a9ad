// Label estimates of rank R: u_ij = U_i . V_j + b_j, with a row of U for each training row and a
// row of V for each label. U is under the dense Adam that the table of estimates would be under, V
// and b are a linear layer on the rows of U: O(B L R) a step. Memory: 16 R + 4 bytes a row (u, m, v
// and the best epoch's), 16 (R + 1) a label.
#pragma once

#include "linear/inner_layer.h"
#include "train/estimator.h"
#include "train/lazy_adam.h"

namespace spml {

class FactoredEstimator : public LabelEstimator {
 public:
  // `config` is of the layer (V, b): config.features is R. Row i of U starts as a function of
  // (seed, keys[i]), such that probabilities start at about 0.4 to 0.6.
  FactoredEstimator(const LinearConfig& config, std::span<const int32_t> keys);

  size_t rows() const override { return table_.rows(); }
  size_t labels() const override { return layer_.model().labels(); }
  void prefetch(std::span<const int32_t> rows) override { table_.prefetch(rows); }
  void fetch(std::span<const int32_t> rows, View<float> logits) override;
  void apply(std::span<const int32_t> rows, View<const float> gradient) override;
  void probabilities(size_t first_row, View<float> out) override;
  void keep_best() override;
  void write_best(const Path& folder) override;
  void save_state(SafetensorsWriter& out) override;
  void load_state(const SafetensorsFile& in, uint64_t step) override;

 private:
  LazyAdamTable table_;      // U
  InnerLayer layer_;         // V, b
  std::vector<float> best_;  // (N, R), U of the best epoch; empty before the first epoch's end
};

}  // namespace spml
