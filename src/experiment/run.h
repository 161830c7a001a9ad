// One training run: a data set and a configuration become a run folder.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "experiment/run_folder.h"
#include "experiment/run_record.h"
#include "experiment/session.h"

namespace spml {

struct RunOptions {
  Path out;
  Existing existing = Existing::kRefuse;
  bool is_claimed = false;              // the caller has claimed the folder and holds its lock
  std::optional<SearchRequest> search;  // that chose the settings
  // Of the command: `seconds` counts from there.
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  int threads = 1;
  uint64_t checkpoint_every = 0;     // steps; 0 = by time
  double checkpoint_seconds = 10;    // at most so often, when by time
  ImageModelMaker make_image_model;  // for the modes other than linear
  // Whose processes share the labels of a linear model or the images of a network's batches; all
  // call run_training(), rank 0 writes the folder, which all must see, and only its result has
  // everything.
  Cluster* cluster = nullptr;
  // Or the rows, each with its own: then the data set is the share's.
  const RowShare* rows = nullptr;
};

// What a run tells its owner, for progress and control. Any may be empty.
struct RunEvents {
  std::function<void(const LoopState& state, uint64_t total_steps)> step;
  std::function<void(const EpochRecord& record)> epoch;
  std::function<void(const std::string& text)> notice;
  std::function<bool()> stop_requested;
};

double seconds_since(std::chrono::steady_clock::time_point start);

// Trains, or continues training, and writes the run folder. A finished run under kResume is read
// back, with a notice. Throws Error of kind kInterrupted when stop_requested says so.
RunRecord run_training(const Dataset& data, const TrainConfig& config, const RunOptions& options,
                       const RunEvents& events = {});

}  // namespace spml
