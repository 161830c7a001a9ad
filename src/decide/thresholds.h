// Where to say yes: thresholds that make F1 best when probabilities mean what they say.
#pragma once

#include <span>
#include <vector>

#include "spml/view.h"

namespace spml {

// The threshold with the highest expected F1 of a label, given its probabilities on some rows; no
// labels are needed. Always in (0, 1).
float expected_f1_threshold(std::span<const float> probabilities);

// A threshold for every column: halfway, in logits, between the one that is best for that label and
// the one that is best for all labels together. A label's own lets it be named almost everywhere
// where scores say little of it; the common one never names rare labels. All are raised alike where
// half again as many labels as are expected would be named: by F1 alone, uninformative scores
// would name every label of every row.
std::vector<float> decision_thresholds(View<const float> probabilities, int threads);

}  // namespace spml
