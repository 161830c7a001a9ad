// The state of a running training, in one file that is replaced atomically; where several processes
// share the labels, in a file of each, and a list of them that is written last.
#pragma once

#include "run/run_folder.h"
#include "run/run_record.h"
#include "train/loop.h"

namespace spml {

// What is saved and restored. The estimator and the memory may be null.
struct Trainee {
  LoopState& state;
  Model& model;
  LabelEstimator* estimator;
  LabelMemory* memory;
  LabelPart part;  // of the labels
  RowPart rows = {};
};

void save_checkpoint(const RunFolder& folder, const RunIdentity& identity, const Trainee& trainee);
// Whether there was one; by how many processes it was written does not matter. Refuses one of a run
// with another identity.
bool load_checkpoint(const RunFolder& folder, const RunIdentity& identity, const Trainee& trainee);

}  // namespace spml
