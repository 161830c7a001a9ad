// Learns from answered questions how likely the unanswered ones are to be yes. Questions are asked
// in the order of their scores, so the answers show what a score is worth. A logistic regression
// from
//
//   the scores of both kinds of classifiers; the label; the labels known to be in the row, and each
//   of them paired with the label asked for; how much else is likely to be in the row
//
// to the answer, with normal priors that keep all coefficients but those of the scores near 0.
// "With a known bottle, is a person there?" is learnt from the same question about other rows.
#pragma once

#include <optional>

#include "spml/matrix.h"
#include "suggest/evidence.h"

namespace spml {

// Answers are labels that were not known before the first question. If there is no record of what
// was known then, the answers are taken to be the known negatives and, in a row with several
// positives, all but the one with the lowest score: questions are asked where scores are high,
// while annotators name any label.
//
// (n, L) probabilities of unknown labels, 0 for known ones; empty if there are too few answers of
// either kind to learn from.
std::optional<Matrix<float>> probabilities_by_answers(const Evidence& evidence);

}  // namespace spml
