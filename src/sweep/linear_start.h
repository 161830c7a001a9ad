// LinearInit, first phase: where fine-tuning starts when a linear classifier was trained before it.
#pragma once

#include "run/run.h"

namespace spml {

// The starts of runs of mode linear-init: read from the run (or the best run of the sweep) that
// --init names, or else from the best of a sweep of linear runs in the run's own folder, trained or
// continued on the spot. Error unless the start was trained with the configuration's loss, on the
// same classes and split, and on features of the same weights and image size (where it knows).
LinearStarts linear_starts();

// The name of that sweep in a run's folder.
inline constexpr const char* kLinearPhase = "linear";

}  // namespace spml
