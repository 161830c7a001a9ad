// How good decided labels are where nobody knows the truth: from probabilities that mean what they
// say, on rows that the classifier was not trained on.
//
// Of the labels that reach their threshold, the sum of their probabilities is expected to be right;
// of those that are there, the sum of all probabilities. Two things make that uncertain. Annotators
// may prefer some labels to others, and each such preference has other probabilities (LabelFit's
// alternatives). And where complete rows have settled that, these were few.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decide/label_fit.h"

namespace spml {

struct Expected {
  double value = 0, low = 0, high = 0;
};

struct ExpectedQuality {
  size_t rows = 0, complete_rows = 0;  // that it was learnt from
  Expected precision, recall, f1;      // over all decided and all present labels
  Expected tags;                       // decided for a row
  Expected found;                      // share of the known positives that are decided
  std::vector<double> label_f1;        // (L), each label's own
};

// Logits and what is known of the labels of held-out rows (N, L), with what was learnt from them.
ExpectedQuality expected_quality(View<const float> logits, View<const int8_t> known,
                                 const LabelFit& fit, std::span<const float> thresholds);

// The labels with the lowest F1, the worst first.
std::vector<size_t> weakest_labels(const ExpectedQuality& quality, size_t count);

}  // namespace spml
