// Label estimates by a small network on the features: u = W2 relu(W1 x + b1) + b2. It has no memory
// of a row: rows with like features have like estimates.
// Memory: 16 bytes a parameter, (D + 1) H + (H + 1) L of them; nothing that grows with the rows.
#pragma once

#include "linear/inner_layer.h"
#include "train/estimator.h"

namespace spml {

class NetworkEstimator : public LabelEstimator {
 public:
  // `config` is of the second layer: config.features is H. Estimates are of the given rows of the
  // feature file, which must outlive this object.
  NetworkEstimator(const LinearConfig& config, const FeatureTransform& transform,
                   const FeatureMatrix& features, std::span<const int32_t> file_rows);

  size_t rows() const override { return file_rows_.size(); }
  size_t labels() const override { return second_.model().labels(); }
  void prefetch(std::span<const int32_t> rows) override;
  void fetch(std::span<const int32_t> rows, View<float> logits) override;
  void apply(std::span<const int32_t> rows, View<const float> gradient) override;
  void probabilities(size_t first_row, View<float> out) override;
  void keep_best() override;
  void write_best(const Path& folder) override;
  void save_state(SafetensorsWriter& out) override;
  void load_state(const SafetensorsFile& in, uint64_t step) override;

 private:
  std::span<const int32_t> in_file(std::span<const int32_t> rows);

  FeatureTransform transform_;
  std::span<const int32_t> file_rows_;  // (N)
  std::vector<int32_t> batch_rows_;     // of the feature file
  LinearModel first_;                   // W1, b1
  InnerLayer second_;                   // W2, b2
};

}  // namespace spml
