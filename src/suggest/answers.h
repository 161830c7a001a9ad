// What answered questions teach about the unanswered ones. Questions are chosen by score, so the
// answers are fair witnesses of what a score is worth: a logistic regression from
//
//   the scores of both kinds of classifiers; the label; the labels known to be in the row, and each
//   of them paired with the label asked for; how much else is likely to be in the row
//
// to the answer, all but the scores held near 0 by normal priors. "With a known bottle, is a person
// there?" is learnt from the same question about other rows.
#pragma once

#include <optional>

#include "spml/matrix.h"
#include "suggest/evidence.h"

namespace spml {

// Answers are labels that were not known before the first question. Where nobody knows what was
// known then, they are the known negatives, and of a row with several positives all but the one
// with the lowest score: questions are asked where scores are high, annotators name anything.
//
// (n, L) probabilities of unknown labels, 0 of known ones; nothing where there are not enough
// answers of both kinds to learn from.
std::optional<Matrix<float>> probabilities_by_answers(const Evidence& evidence);

}  // namespace spml
