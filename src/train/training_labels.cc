#include "train/training_labels.h"

#include "base/fail.h"

namespace spml {

TrainingLabels::TrainingLabels(const LabelMatrix& observed, const LabelMatrix& truth,
                               LabelNeed need)
    : observed_(observed), truth_(truth), need_(need) {
  const bool wants_truth = need == LabelNeed::kTruth || need == LabelNeed::kTrueNegatives;
  if (wants_truth && truth.empty()) {
    fail(
        "this loss needs the full truth, and the data has none (formatted_train_labels.npy); "
        "choose a loss for single positives, such as role or an-ls");
  }
  if (need != LabelNeed::kTruth && observed.empty()) fail("the data has no observed labels");
}

size_t TrainingLabels::labels() const {
  return need_ == LabelNeed::kTruth ? truth_.cols() : observed_.cols();
}

void TrainingLabels::read_row(size_t row, std::span<int8_t> out) {
  switch (need_) {
    case LabelNeed::kTruth:
      truth_.read_row(row, out);
      for (int8_t& label : out) label = label > 0 ? 1 : -1;
      return;
    case LabelNeed::kTrueNegatives: {
      truth_.read_row(row, out);
      buffer_.resize(out.size());
      observed_.read_row(row, buffer_);
      for (size_t j = 0; j < out.size(); ++j) {
        out[j] = buffer_[j] > 0 ? 1 : out[j] > 0 ? 0 : -1;
      }
      return;
    }
    case LabelNeed::kObserved:
    case LabelNeed::kNegatives:
      observed_.read_row(row, out);
      return;
  }
}

}  // namespace spml
