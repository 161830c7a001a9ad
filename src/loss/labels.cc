#include "loss/labels.h"

#include <algorithm>

#include "base/fail.h"

namespace spml {
namespace {

void check_consistent(View<const int8_t> observed, View<const int8_t> truth) {
  for (size_t i = 0; i < truth.rows; ++i) {
    for (size_t j = 0; j < truth.cols; ++j) {
      if (observed(i, j) != 0 && (observed(i, j) > 0) != (truth(i, j) > 0)) {
        fail(
            "row {}, column {}: expected observed and true labels to agree, found {} observed "
            "where the truth is {}",
            i, j, observed(i, j), truth(i, j));
      }
    }
  }
}

int8_t label_for(LabelNeed need, int8_t observed, bool is_true) {
  if (need == LabelNeed::kTruth) return is_true ? 1 : -1;
  if (observed > 0) return 1;
  return is_true ? 0 : -1;
}

}  // namespace

void prepare_labels(const LossInfo& info, View<const int8_t> observed, View<const int8_t> truth,
                    View<int8_t> out) {
  if (!observed.empty() && !truth.empty()) check_consistent(observed, truth);
  const bool needs_truth =
      info.needs == LabelNeed::kTruth || info.needs == LabelNeed::kTrueNegatives;
  if (needs_truth && !truth.empty()) {
    for (size_t i = 0; i < out.size(); ++i) {
      const int8_t o = observed.empty() ? int8_t{0} : observed.data[i];
      out.data[i] = label_for(info.needs, o, truth.data[i] > 0);
    }
    return;
  }
  const auto seen = observed.flat();
  if (needs_truth && std::find(seen.begin(), seen.end(), int8_t{0}) != seen.end()) {
    fail(
        "loss {} needs {}, and there is no truth: give --truth, or formatted_train_labels.npy in "
        "the data folder",
        info.name, to_string(info.needs));
  }
  std::copy(seen.begin(), seen.end(), out.data);
}

}  // namespace spml
