// k and how often each label occurs, from observed labels alone and a trained classifier.
#pragma once

#include "decide/label_fit.h"
#include "run/trained_model.h"

namespace spml {

// What the rows that the classifier was validated on tell of k and of each label's share of rows.
// The data needs features and observed labels, no truth.
LabelFit fit_run(TrainedModel& trained, const Dataset& data, int threads);

}  // namespace spml
