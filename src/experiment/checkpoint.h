// The state of a running training, in one file that is replaced atomically.
#pragma once

#include "experiment/run_record.h"
#include "train/loop.h"

namespace spml {

// What is saved and restored. The estimator and the memory may be null.
struct Trainee {
  LoopState& state;
  Model& model;
  LabelEstimator* estimator;
  LabelMemory* memory;
};

// load_checkpoint refuses a file of a run with another identity.
void save_checkpoint(const Path& path, const RunIdentity& identity, const Trainee& trainee);
void load_checkpoint(const Path& path, const RunIdentity& identity, const Trainee& trainee);

}  // namespace spml
