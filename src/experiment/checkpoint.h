// The state of a running training, in one file that is replaced atomically.
#pragma once

#include "experiment/config.h"
#include "train/loop.h"

namespace spml {

// What is saved and restored. The estimator and the memory may be null.
struct Trainee {
  LoopState& state;
  Model& model;
  LabelEstimator* estimator;
  LabelMemory* memory;
};

// `config` is the resolved configuration (config.json's "config"); load_checkpoint refuses a file
// of another one.
void save_checkpoint(const Path& path, const Json& config, const Trainee& trainee);
void load_checkpoint(const Path& path, const Json& config, const Trainee& trainee);

Json to_json(const EpochRecord& record);

}  // namespace spml
