#include "train/training_labels.h"

#include "base/fail.h"
#include "loss/labels.h"

namespace spml {

TrainingLabels::TrainingLabels(const LabelMatrix& observed, const LabelMatrix& truth,
                               const LossInfo& loss, std::optional<LabelPart> part)
    : observed_(observed),
      truth_(truth),
      loss_(loss),
      part_(part ? *part : all_labels(observed.empty() ? truth.cols() : observed.cols())) {
  const bool wants_truth =
      loss.needs == LabelNeed::kTruth || loss.needs == LabelNeed::kTrueNegatives;
  if (wants_truth && truth.empty()) {
    fail(
        "loss {} needs {}, and the data has no truth (formatted_train_labels.npy); choose a loss "
        "for single positives, such as role or an-ls",
        loss.name, to_string(loss.needs));
  }
  if (loss.needs != LabelNeed::kTruth && observed.empty()) {
    fail("loss {} needs observed labels, and the data has none", loss.name);
  }
  uses_truth_ = wants_truth;
  observed_row_.resize(part_.count);
  truth_row_.resize(part_.count);
}

void TrainingLabels::prefetch_row(size_t row) const {
  if (!observed_.empty()) observed_.prefetch_row(row);
  if (uses_truth_) truth_.prefetch_row(row);
}

void TrainingLabels::read_row(size_t row, std::span<int8_t> out) {
  if (!uses_truth_) return observed_.read_part(row, part_.first, out);
  View<const int8_t> observed;
  if (!observed_.empty()) {
    observed_.read_part(row, part_.first, observed_row_);
    observed = {observed_row_.data(), 1, out.size()};
  }
  truth_.read_part(row, part_.first, truth_row_);
  prepare_labels(loss_, observed, {truth_row_.data(), 1, out.size()}, {out.data(), 1, out.size()});
}

}  // namespace spml
