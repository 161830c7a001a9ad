// How often each label occurs, from single positives alone: a trained model ranks the rows, and the
// observed positives among the top ones tell how many of the others are positive too.
#pragma once

#include <vector>

#include "experiment/trained_model.h"

namespace spml {

// The share of the training file's rows that have each label, (L). Their sum estimates k, the
// expected number of positives per row. The data needs features and observed labels, no truth.
std::vector<double> estimate_label_shares(TrainedModel& trained, const Dataset& data);

}  // namespace spml
