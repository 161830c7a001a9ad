// The paper's label estimates: one logit for each (training row, label), under dense Adam.
// Memory: 12 bytes an entry (u, m, v), 4 for the best epoch's, and 4 bytes a row.
#pragma once

#include <vector>

#include "train/estimator.h"
#include "train/label_part.h"
#include "train/lazy_adam.h"

namespace spml {

class TableEstimator : public LabelEstimator {
 public:
  TableEstimator(size_t rows, size_t labels, const AdamConfig& config)
      : TableEstimator(rows, all_labels(labels), config) {}
  // Of the labels of one process, or of its rows, where each process of `others` has its own.
  TableEstimator(size_t rows, const LabelPart& part, const AdamConfig& config,
                 Cluster* others = nullptr)
      : part_(part), others_(others), table_(rows, part.count, config) {}

  // Starting values: logit(0.995) where observed is +1, logit(0.005) where -1, else logit(unknown)
  // plus a number uniform in [logit 0.4, logit 0.6], which is a function of (seed, key) alone.
  void start_row(size_t row, std::span<const int8_t> observed, uint64_t seed, uint64_t key,
                 double unknown = 0.5);
  // Starting values from probabilities, clipped to [1e-5, 1 - 1e-5].
  void start_row(size_t row, std::span<const float> probabilities);

  size_t rows() const override { return table_.rows(); }
  size_t labels() const override { return table_.columns(); }
  void prefetch(std::span<const int32_t> rows) override { table_.prefetch(rows); }
  void fetch(std::span<const int32_t> rows, View<float> logits) override {
    table_.fetch(rows, logits);
  }
  void apply(std::span<const int32_t> rows, View<const float> gradient) override {
    table_.apply(rows, gradient);
  }
  void probabilities(size_t first_row, View<float> out) override;
  void keep_best() override;
  void write_best(const Path& folder) override;
  void save_state(SafetensorsWriter& out) override;
  void load_state(const SafetensorsFile& in, uint64_t step) override;
  void load_labels(const SafetensorsFile& in, uint64_t step, const LabelPart& from) override;

  LazyAdamTable& table() { return table_; }

 private:
  void write_rows(const Path& file, View<const float> mine);

  LabelPart part_;
  Cluster* others_ = nullptr;
  LazyAdamTable table_;
  std::vector<float> best_;  // (N, L) probabilities; empty before the first epoch's end
};

}  // namespace spml
