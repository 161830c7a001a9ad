#include "experiment/folder_kind.h"

#include <filesystem>
#include <string_view>

#include "base/fail.h"
#include "base/folders.h"
#include "experiment/run_folder.h"
#include "experiment/sweep.h"

namespace spml {
namespace {

std::string_view name_of(FolderKind kind) {
  switch (kind) {
    case FolderKind::kSweep:
      return "a sweep";
    case FolderKind::kReproduction:
      return "a reproduction";
    case FolderKind::kRun:
      break;
  }
  return "a run";
}

// Also of one that has only begun.
bool is_sweep(const Path& path) {
  if (path_exists(SweepFolder{path}.results())) return true;
  if (!is_folder(path)) return false;
  for (const Path& entry : list_folder(path)) {
    if (entry.filename().string().starts_with(kShardLock)) return true;
  }
  return false;
}

}  // namespace

std::optional<FolderKind> kind_of_folder(const Path& path) {
  const RunFolder run{path};
  if (is_sweep(path)) return FolderKind::kSweep;
  if (path_exists(path / "results.json")) return FolderKind::kReproduction;
  for (const Path& file : {run.result(), run.config(), run.checkpoint(), run.checkpoint_parts()}) {
    if (path_exists(file)) return FolderKind::kRun;
  }
  return std::nullopt;
}

void expect_kind(const Path& path, FolderKind kind) {
  const auto found = kind_of_folder(path);
  if (!found || *found == kind) return;
  fail("{}: expected a new folder or that of {}, found {}; choose another --out", path.string(),
       name_of(kind), name_of(*found));
}

}  // namespace spml
