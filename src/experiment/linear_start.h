// LinearInit: where fine-tuning starts when a linear classifier was trained first.
#pragma once

#include <vector>

#include "experiment/config.h"
#include "experiment/prepare.h"

namespace spml {

struct LinearStart {
  std::vector<float> weight, bias;  // (L, D), (L)
  std::vector<float> estimates;     // (N_train, L) probabilities; empty without a label estimator
};

// The finished run that `path` stands for: itself, or the best one for `loss` of a sweep.
Path linear_run(const Path& path, std::string_view loss);

// Reads a linear run. Error unless it was trained with the configuration's loss, on the same
// classes and the same rows, and on features of the same weights and image size (where it knows).
LinearStart read_linear_start(const Path& run, const TrainConfig& config, const Prepared& prepared);

// The configurations of the linear phase when no run is given: the paper's learning rates.
std::vector<TrainConfig> linear_phase(const TrainConfig& config);

}  // namespace spml
