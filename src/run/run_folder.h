// The folder of a run: who may use it, and what may be removed from it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "run/folder_files.h"
#include "spml/choices.h"

namespace spml {

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
