// The trainer and the LibTorch loop, side by side: checked to do the same, then timed in turns so
// that whatever else the machine does meets both.
#pragma once

#include "problem.h"
#include "step_parts.h"

namespace spml {

struct RaceResult {
  double ours = 0, torch = 0;  // median seconds of a step
  StepParts parts;             // of ours, on one thread
};

RaceResult race(const Problem& problem, const Setting& setting);

// Median seconds of a step of the trainer alone, after a first epoch in which every row is met.
double warm_step_seconds(const Problem& problem, const Setting& setting);

}  // namespace spml
