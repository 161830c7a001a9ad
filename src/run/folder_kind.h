// What an output folder holds, so that a run, a sweep and a reproduction do not get mixed up.
#pragma once

#include <optional>

#include "base/files.h"

namespace spml {

enum class FolderKind { kRun, kSweep, kReproduction };

// Judged by the files that spml leaves there, finished or not; nothing for any other folder.
std::optional<FolderKind> kind_of_folder(const Path& path);

// Error when a file that a run would replace is there and was not written by spml: judged by what
// is in it, since other programs have a config.json and a model.safetensors, too.
void expect_no_foreign_files(const Path& path);

// Error when the folder holds something of another kind.
void expect_kind(const Path& path, FolderKind kind);

// Error unless the folder is new, or of that kind, if only begun, or holds nothing but locks and
// empty folders: what is somebody else's is not written to.
void expect_own_folder(const Path& path, FolderKind kind);

}  // namespace spml
