// LinearInit, first phase: where fine-tuning starts when a linear classifier was trained before it.
#pragma once

#include <string_view>
#include <vector>

#include "experiment/run.h"

namespace spml {

// The start of a run of mode linear-init: read from the run that its configuration names, or else
// from the best of a sweep of linear runs in the run's own folder, which is trained, or continued,
// here. Error unless it was trained with the configuration's loss, on the same classes and split,
// and on features of the same weights and image size (where it knows).
LinearStart linear_start(const Dataset& data, const TrainConfig& config, const RunOptions& options,
                         const RunEvents& events);

// The finished run that `path` stands for: itself, or the best one for `loss` of a sweep.
Path linear_run(const Path& path, std::string_view loss);

// The name of that sweep in a run's folder.
inline constexpr const char* kLinearPhase = "linear";

}  // namespace spml
