// k, the labels a row has on average, where nobody knows it: from observed labels alone.
#pragma once

#include <functional>
#include <string>

#include "decide/label_fit.h"
#include "fit/run_events.h"
#include "fit/session.h"

namespace spml {

// Trains a few classifiers that need no k for some epochs and takes what the one that explains the
// observed validation labels best says of k. The data needs features. See decide/label_fit.h for
// the assumption.
LabelFit estimate_k_from_observed(const Dataset& data, const TrainConfig& config, int threads,
                                  const std::function<bool()>& stop_requested = {});

// Whether the loss needs k, and only the observed labels can say it.
bool needs_estimated_k(const Dataset& data, const TrainConfig& config);

// The configuration with k from observed labels, which a notice reports.
TrainConfig with_estimated_k(const Dataset& data, const TrainConfig& config, int threads,
                             const RunEvents& events);

// "k = 1.47 (1.41 to 1.53)", with a warning where it cannot be told.
std::string k_text(const LabelFit& fit);

}  // namespace spml
