// Observed labels and answers together.
#pragma once

#include <random>

#include "data/label_matrix.h"
#include "review/store/store.h"

namespace spml::review {

// A copy of `observed` in which "yes" is +1 and "no" is -1; "unsure" stays unknown.
LabelMatrix with_answers(const LabelMatrix& observed, const std::vector<NewAnswer>& answers);

// `size` different entries drawn at random from those that are unknown and have no answer, in
// random order; all of them where there are fewer. `population` is how many there are to draw from.
std::vector<Entry> draw_open(const LabelMatrix& observed, const std::vector<NewAnswer>& answers,
                             size_t size, std::mt19937_64& random, uint64_t& population);

}  // namespace spml::review
