// Runs an experiment on the given data sets and sets the results beside the published numbers.
#pragma once

#include <string>

#include "reproduce/definition.h"
#include "reproduce/experiment_result.h"
#include "reproduce/reproduce_options.h"

namespace spml {

// The name of an experiment's results; includes the mode unless it is the default.
std::string result_key(const Experiment& experiment, Mode mode);

// Trains the missing runs and adds the results to OUT/results.json. Data sets of earlier commands
// keep their numbers. Returns all of results.json.
Reproduction reproduce(const Experiment& experiment, const ReproduceOptions& options,
                       const SweepEvents& events = {});

}  // namespace spml
