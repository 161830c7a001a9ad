// A loss that notes what it was asked: the rows of each batch and the value given back.
#pragma once

#include <vector>

#include "spml/loss.h"

namespace spml {

class RecordingLoss : public Loss {
 public:
  explicit RecordingLoss(const Loss& loss) : loss_(loss) {}

  double evaluate(const LossInput& in, const LossOutput& out) const override {
    batches_.emplace_back(in.rows.begin(), in.rows.end());
    values_.push_back(loss_.evaluate(in, out));
    return values_.back();
  }
  double evaluate(const BasicLossInput<double>& in,
                  const BasicLossOutput<double>& out) const override {
    return loss_.evaluate(in, out);
  }
  size_t scratch_per_entry() const override { return loss_.scratch_per_entry(); }

  const std::vector<std::vector<int32_t>>& batches() const { return batches_; }
  const std::vector<double>& values() const { return values_; }
  void clear() {
    batches_.clear();
    values_.clear();
  }

 private:
  const Loss& loss_;
  mutable std::vector<std::vector<int32_t>> batches_;
  mutable std::vector<double> values_;
};

}  // namespace spml
