// Choosing between classifiers by observed labels alone.
//
// MAP against observed labels counts every unobserved positive as a mistake, and so prefers
// classifiers that find the rows in which a label stands alone. This criterion asks, of every row
// in which label j was observed, how far from the top of that label's ranking it stands, measured
// in the number of rows that have the label:
//
//   mean over labels of mean over rows observed with j of 1 / (1 + rank / (N prior_j))
//
// Ranks within the first prior_j N rows differ little: those places belong to positives anyway.
// docs/choosing.md compares it with others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spml/view.h"

namespace spml {

// `frequency` (L) is the share of rows observed with a label, k the labels of a row; a label's
// prior is taken as k times its frequency. 0 when nothing was observed.
double observed_criterion(View<const float> scores, View<const int8_t> labels,
                          std::span<const double> frequency, double k, int threads);

// (L) share of rows with an observed positive, never quite 0 or 1.
std::vector<double> observed_frequency(View<const int8_t> labels);

}  // namespace spml
