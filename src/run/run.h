// One training run: a data set and a configuration become a run folder.
#pragma once

#include "run/run_options.h"
#include "run/run_record.h"

namespace spml {

// Trains, or continues training, and writes the run folder. A finished run under kResume is read
// back, with a notice. Throws Error of kind kInterrupted when stop_requested says so.
RunRecord run_training(const Dataset& data, const TrainConfig& config, const RunOptions& options,
                       const RunEvents& events = {});

}  // namespace spml
