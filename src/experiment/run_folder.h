// The folder of a run: the names of its files, who may use it, and whether it is finished.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/files.h"
#include "spml/choices.h"

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

// Whether a file in the folder has a name that checkpoint_part() gives.
bool is_checkpoint_part(std::string_view name);

// Makes the folder if need be and locks it for this process. A folder with something in it is an
// Error under kRefuse, and one that holds a sweep or a reproduction always. What a killed writer of
// a run's files left half written is removed.
std::unique_ptr<FileLock> claim_folder(const Path& path, Existing existing);

// The run that a file names, in or below `folder`. Error when the name leads out of it; `list` is
// that file.
Path run_inside(const Path& folder, const std::string& name, const Path& list);

// Removes what a finished run no longer needs.
void remove_checkpoints(const RunFolder& run);
void remove_checkpoint_parts(const RunFolder& run);  // those of several processes

// Removes a run's files and nothing else, result.json first; Error before that where a folder, pipe
// or device has the name of one.
void clear_run(const RunFolder& run);

}  // namespace spml
