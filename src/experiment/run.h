// One training run, from a prepared data set to a run folder.
#pragma once

#include <functional>
#include <string>

#include "experiment/prepare.h"
#include "experiment/result.h"
#include "experiment/run_folder.h"
#include "experiment/session.h"
#include "train/loop.h"

namespace spml {

struct RunOptions {
  Path out;
  Existing existing = Existing::kRefuse;
  int threads = 1;
  uint64_t checkpoint_every = 0;     // steps; 0 = by time
  double checkpoint_seconds = 10;    // at most so often, when by time
  ImageModelMaker make_image_model;  // for the modes other than linear
  Path linear_run;                   // of linear-init; found by run_training()
};

// What a run tells its owner, for progress and control. Any may be empty.
struct RunEvents {
  std::function<void(const LoopState& state, uint64_t total_steps)> step;
  std::function<void(const EpochRecord& record)> epoch;
  std::function<void(const std::string& text)> notice;
  std::function<bool()> stop_requested;
};

// The name of the sweep in a run's folder that holds the linear phase of linear-init, unless a run
// to start from was given.
inline constexpr const char* kLinearPhase = "linear";

// Trains, or goes on training, and writes the run folder. A finished run under kResume is read
// back, with a notice. Throws Error of kind kInterrupted when stop_requested says so.
Json run_training(const Dataset& data, const TrainConfig& config, const RunOptions& options,
                  const RunEvents& events = {});

}  // namespace spml
