// Observed labels combined with answers.
#pragma once

#include <random>

#include "data/label_matrix.h"
#include "review/store/store.h"

namespace spml::review {

// A copy of `observed` in which "yes" is +1 and "no" is -1; "unsure" stays unknown.
LabelMatrix with_answers(const LabelMatrix& observed, const std::vector<NewAnswer>& answers);

// `size` distinct entries drawn at random from the unknown ones without an answer, in random order;
// all of them if there are fewer. `population` is the number of entries to draw from.
std::vector<Entry> draw_open(const LabelMatrix& observed, const std::vector<NewAnswer>& answers,
                             size_t size, std::mt19937_64& random, uint64_t& population);

}  // namespace spml::review
