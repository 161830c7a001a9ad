// The names of the files in the folders that runs and sweeps write.
#pragma once

#include <cstdint>

#include "base/files.h"

namespace spml {

struct RunFolder {
  Path path;

  Path config() const { return path / "config.json"; }
  Path metrics() const { return path / "metrics.jsonl"; }
  Path result() const { return path / "result.json"; }
  Path model() const { return path / "model.safetensors"; }
  Path calibration() const { return path / "calibration.json"; }
  Path thresholds() const { return path / "thresholds.npy"; }
  Path search() const { return path / "search.jsonl"; }
  Path search_journal() const { return path / "search.part.jsonl"; }  // of one that is under way
  Path estimates() const { return path / "estimates.npy"; }
  Path estimator() const { return path / "estimator.safetensors"; }
  Path train_rows() const { return path / "train_rows.npy"; }
  Path checkpoint() const { return path / "checkpoint.safetensors"; }
  // Of a run that several processes share: a file of each, and a list of them, written last.
  Path checkpoint_parts() const { return path / "checkpoint.json"; }
  Path checkpoint_part(uint64_t step, int rank) const;
};

struct SweepFolder {
  Path path;

  Path runs() const { return path / "runs"; }
  Path results() const { return path / "results.jsonl"; }
  Path best() const { return path / "best.json"; }
  Path summary_lock() const { return path / ".lock-summary"; }
};

// How the names of a sweep's locks begin, one for each shard at work.
inline constexpr const char* kShardLock = ".lock-";

}  // namespace spml
