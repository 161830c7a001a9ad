// How likely each unknown label is to be there.
#pragma once

#include "spml/matrix.h"
#include "suggest/evidence.h"

namespace spml {

// (n, L) probabilities of labels that are unknown; 0 at those that are known.
//
// Scores of both kinds are calibrated by the labels named (decide/label_fit.h), averaged as logits,
// calibrated again, and conditioned on which label of the row was named (named_label.h). What then
// does not add up to the labels that k leaves to be found is moved by one number, as logits, which
// leaves their order alone. Where questions have been answered, the answers decide: see answers.h.
Matrix<float> missing_probabilities(const Evidence& evidence);

}  // namespace spml
