// The probability that each unknown label is present.
#pragma once

#include "spml/matrix.h"
#include "suggest/evidence.h"

namespace spml {

// (n, L) probabilities of unknown labels, 0 for known ones.
//
// Scores of both kinds are calibrated against the named labels (decide/label_fit.h), averaged as
// logits, calibrated again, and conditioned on which label of the row was named (named_label.h). If
// the sum differs from the number of labels that k leaves to be found, all logits are shifted by
// the same amount, which preserves their order. Once enough questions have been answered, the
// probabilities are learnt from the answers instead: answers.h.
Matrix<float> missing_probabilities(const Evidence& evidence);

}  // namespace spml
