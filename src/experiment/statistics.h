// What an experiment says about labels rather than losses: tables A2 and A3.
#pragma once

#include "experiment/definition.h"

namespace spml {

// A row's statistic of the training file. Error without full labels.
double label_statistic(const Dataset& data, const ExperimentRow& row, int threads);

// `count` values from the 5th to the 95th percentile of k as so many labelled rows give it.
std::vector<double> k_values(const Dataset& data, size_t labelled_rows, size_t count, int threads);

// How many labels a loss sees in a row, on average.
double labels_seen_per_row(const Dataset& data, const std::string& loss);

}  // namespace spml
