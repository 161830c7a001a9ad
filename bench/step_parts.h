// The parts of a training step, each timed alone on the batches and buffers that a step would use.
#pragma once

#include <vector>

#include "problem.h"

namespace spml {

struct StepParts {       // median seconds
  double labels = 0;     // reading the batch's labels
  double pack = 0;       // gathering the batch's features
  double pass = 0;       // update and next logits, fused, as a step does them
  double update = 0;     // of which: gradient and Adam
  double logits = 0;     // of which: logits
  double loss = 0;       // value and gradient
  double estimates = 0;  // fetching and updating the label estimates
};

double median(std::vector<double> values);

// On one thread. Uses up the trainer's estimator.
StepParts time_parts(Trainer& trainer, int batches);

}  // namespace spml
