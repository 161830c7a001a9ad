// The labels that a loss trains on, row by row, as its LabelNeed asks for them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/dataset.h"
#include "loss/info.h"
#include "train/label_part.h"

namespace spml {

class TrainingLabels {
 public:
  // The matrices must outlive this object; either may be empty unless the loss needs it.
  // Of those labels only, where `part` is given.
  TrainingLabels(const LabelMatrix& observed, const LabelMatrix& truth, const LossInfo& loss,
                 std::optional<LabelPart> part = {});

  size_t labels() const { return part_.count; }
  // Labels of a row of the training file, in {-1, 0, +1}.
  void read_row(size_t row, std::span<int8_t> out);
  // A hint that this row will be read soon.
  void prefetch_row(size_t row) const;

 private:
  const LabelMatrix& observed_;
  const LabelMatrix& truth_;
  const LossInfo& loss_;
  LabelPart part_;
  bool uses_truth_ = false;
  std::vector<int8_t> observed_row_, truth_row_;  // of this part
};

}  // namespace spml
