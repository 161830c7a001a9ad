// How a run is made: where it goes, what it may use, and who watches.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "fit/run_events.h"
#include "fit/session.h"
#include "run/run_folder.h"
#include "run/run_record.h"

namespace spml {

struct RunOptions;

// Where runs of mode linear-init start. Given from outside: without --init, the start is the best
// of a sweep of linear runs (sweep/linear_start.h).
struct LinearStarts {
  // The finished run that the configuration's --init stands for.
  std::function<Path(const TrainConfig& config)> init_run;
  std::function<LinearStart(const Dataset& data, const TrainConfig& config,
                            const RunOptions& options, const RunEvents& events)>
      make;
};

struct RunOptions {
  Path out;
  Existing existing = Existing::kRefuse;
  bool is_claimed = false;              // the caller has claimed the folder and holds its lock
  std::optional<SearchRequest> search;  // that chose the settings, and whether to refit them
  // Of the command: `seconds` counts from there.
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  int threads = 1;
  uint64_t checkpoint_every = 0;     // steps; 0 = by time
  double checkpoint_seconds = 10;    // at most so often, when by time
  ImageModelMaker make_image_model;  // for the modes other than linear
  LinearStarts linear_starts;        // for linear-init
  // k, where the loss needs one and only the observed labels can say it; empty: estimated here. Not
  // asked for where the run that is continued knows it.
  std::function<double()> estimated_k;
  // Whose processes share the labels of a linear model or the images of a network's batches; all
  // call run_training(), rank 0 writes the folder, which all must see, and only its result has
  // everything.
  Cluster* cluster = nullptr;
  // Or the rows, each with its own: then the data set is the share's.
  const RowShare* rows = nullptr;
};

}  // namespace spml
