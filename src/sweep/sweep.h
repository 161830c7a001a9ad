// Many runs over a grid, side by side, resumable and shardable. Any number of processes may share
// a sweep folder: each does its shard, and the summary is made from all finished run folders.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "run/run.h"
#include "sweep/winners.h"

namespace spml {

// The paper's grid.
inline const std::vector<double> kPaperLearningRates = {1e-2, 1e-3, 1e-4, 1e-5};
inline const std::vector<size_t> kPaperBatches = {8, 16};

struct SweepOptions {
  Path out;
  int jobs = 1;                      // runs at the same time
  int threads = 1;                   // of each run
  bool overwrite = false;            // do finished runs again, and forget those of other grids
  bool beside_others = false;        // the folder may hold files of others, which stay
  bool keep_earlier = false;         // list what other grids have left in the folder, too
  uint64_t checkpoint_every = 0;     // as in RunOptions
  ImageModelMaker make_image_model;  // as in RunOptions
  LinearStarts linear_starts;        // as in RunOptions
  size_t shard = 0, shards = 1;      // this process takes runs i with i % shards == shard
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();  // as in RunOptions
  // Whose processes are handed runs as they become free; all must see the folder, and all get all
  // results. Not together with shards.
  Cluster* cluster = nullptr;
};

struct SweepEvents {
  // After each run of this process, one call at a time.
  std::function<void(const SweepRun& run, size_t done, size_t total)> run_done;
  std::function<void(const std::string& text)> notice;
  std::function<bool()> stop_requested;
};

struct FailedRun {
  std::string run;  // the name of its folder
  std::string error;
};

// A name for a run's folder: readable, and different for different configurations.
std::string run_name(const TrainConfig& config);

struct GridRuns {
  std::vector<SweepRun> finished;  // in the grid's order
  std::vector<FailedRun> failed;   // of this process or cluster
};

// Does what is missing of this shard of the grid. A configuration that is listed twice is one run;
// a failed run does not stop the others. `finished` has the runs of this shard or cluster. Error
// when `out` holds something that is no sweep.
GridRuns run_grid(const Dataset& data, const std::vector<TrainConfig>& grid,
                  const SweepOptions& options, const SweepEvents& events = {});

// best.json
struct SweepSummary {
  size_t runs = 0;
  NamedList<Winner> best;  // by loss
  double seconds = 0;
  std::vector<FailedRun> failed;
};
std::string json_text(const SweepSummary& summary);
SweepSummary read_sweep_summary(const Path& file);
// The folders of results.jsonl, below the sweep's.
std::vector<std::string> read_sweep_runs(const Path& file);

// Does what is missing of the grid, then writes results.jsonl and best.json from all finished runs
// of it. With keep_earlier, those of earlier grids are listed after them; best.json compares what
// has the same validation: the grid's settings but for the loss and how it is trained. What failed
// is in the summary; see check_complete(). Error, before anything is trained, when the folder has
// runs on other data only.
SweepSummary run_sweep(const Dataset& data, const std::vector<TrainConfig>& grid,
                       const SweepOptions& options, const SweepEvents& events = {});

// Error that names the first failed run, if there is one.
void check_complete(const std::vector<FailedRun>& failed);

}  // namespace spml
