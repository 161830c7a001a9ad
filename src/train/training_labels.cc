#include "train/training_labels.h"

#include "base/fail.h"
#include "loss/labels.h"

namespace spml {

TrainingLabels::TrainingLabels(const LabelMatrix& observed, const LabelMatrix& truth,
                               const LossInfo& loss)
    : observed_(observed), truth_(truth), loss_(loss) {
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
  observed_row_.resize(observed.cols());
  truth_row_.resize(wants_truth ? truth.cols() : 0);
}

size_t TrainingLabels::labels() const {
  return observed_.empty() ? truth_.cols() : observed_.cols();
}

void TrainingLabels::prefetch_row(size_t row) const {
  if (!observed_.empty()) observed_.prefetch_row(row);
  if (!truth_row_.empty()) truth_.prefetch_row(row);
}

void TrainingLabels::read_row(size_t row, std::span<int8_t> out) {
  if (truth_row_.empty()) return observed_.read_row(row, out);
  View<const int8_t> observed;
  if (!observed_.empty()) {
    observed_.read_row(row, observed_row_);
    observed = {observed_row_.data(), 1, out.size()};
  }
  truth_.read_row(row, truth_row_);
  prepare_labels(loss_, observed, {truth_row_.data(), 1, out.size()}, {out.data(), 1, out.size()});
}

}  // namespace spml
