// Many runs over a grid, side by side, resumable and shardable. Results are merged by reading the
// run folders, so any number of processes may share a sweep folder.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiment/run.h"

namespace spml {

// The paper's grid.
inline const std::vector<double> kPaperLearningRates = {1e-2, 1e-3, 1e-4, 1e-5};
inline const std::vector<size_t> kPaperBatches = {8, 16};

struct SweepOptions {
  Path out;
  int jobs = 1;                      // runs at the same time
  int threads = 1;                   // of each run
  bool overwrite = false;            // do finished runs again
  uint64_t checkpoint_every = 0;     // as in RunOptions
  ImageModelMaker make_image_model;  // as in RunOptions
  size_t shard = 0, shards = 1;      // this process takes runs i with i % shards == shard
};

struct SweepEvents {
  // After each run of this process, one call at a time.
  std::function<void(const Json& result, size_t done, size_t total)> run_done;
  std::function<void(const std::string& text)> notice;
  std::function<bool()> stop_requested;
};

// A name for a run's folder: readable, and different for different configurations.
std::string run_name(const TrainConfig& config);

struct GridRuns {
  std::vector<Json> results;  // of the finished runs, in the grid's order: result.json with "run",
                              // the folder below `out`, and "config"
  std::string first_failure;  // "" when all went well
};

// Does what is missing of the grid. A configuration that is listed twice is one run; a failed run
// does not stop the others.
GridRuns run_grid(const Dataset& data, const std::vector<TrainConfig>& grid,
                  const SweepOptions& options, const SweepEvents& events = {});

// Does what is missing of the grid, then writes results.jsonl and best.json from all finished runs
// of it and returns best.json's contents: {"runs", "best": {loss: winner}, "seconds"}. The Error at
// the end names the first run that failed.
Json run_sweep(const Dataset& data, const std::vector<TrainConfig>& grid,
               const SweepOptions& options, const SweepEvents& events = {});

// The winner per loss among results (objects as in result.json): the configuration with the best
// mean val_map over seeds, first of equals; with several seeds also means and deviations.
Json best_per_loss(const std::vector<Json>& results);

}  // namespace spml
