// Runs an experiment on the data sets at hand and sets what comes out beside the published numbers.
#pragma once

#include <string>

#include "reproduce/definition.h"
#include "reproduce/experiment_result.h"
#include "reproduce/reproduce_options.h"

namespace spml {

// The name of an experiment's results: with the mode unless that is its usual one.
std::string result_key(const Experiment& experiment, Mode mode);

// Does what is missing and adds the results to OUT/results.json. Data sets of earlier commands
// that are not given now keep their numbers. Returns the whole of results.json.
Reproduction reproduce(const Experiment& experiment, const ReproduceOptions& options,
                       const SweepEvents& events = {});

}  // namespace spml
