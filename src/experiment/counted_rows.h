// Rows of experiments that are counted rather than trained (tables A2 and A3), and what else
// experiments count in the labels.
#pragma once

#include "experiment/definition.h"

namespace spml {

// The statistic of a row, of the training file. Error without full labels.
double counted_value(const Dataset& data, const ExperimentRow& row, int threads);

// `count` values from the 5th to the 95th percentile of k as so many labelled rows give it.
std::vector<double> k_values(const Dataset& data, size_t labelled_rows, size_t count, int threads);

// How many labels a loss sees in a row, on average.
double labels_seen_per_row(const Dataset& data, const std::string& loss);

}  // namespace spml
