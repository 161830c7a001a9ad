// The state of a running training, in one file that is replaced atomically.
#pragma once

#include "experiment/config.h"
#include "train/loop.h"

namespace spml {

// `config` is the resolved configuration (config.json's "config"); load_checkpoint refuses a file
// of another one.
void save_checkpoint(const Path& path, const Json& config, const LoopState& state, Model& model,
                     LabelEstimator* estimator);
void load_checkpoint(const Path& path, const Json& config, LoopState& state, Model& model,
                     LabelEstimator* estimator);

Json to_json(const EpochRecord& record);

}  // namespace spml
