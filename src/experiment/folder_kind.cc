#include "experiment/folder_kind.h"

#include <filesystem>
#include <string_view>

#include "base/fail.h"
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
  namespace fs = std::filesystem;
  if (fs::exists(SweepFolder{path}.results())) return true;
  if (!fs::is_directory(path)) return false;
  for (const auto& entry : fs::directory_iterator(path)) {
    if (entry.path().filename().string().starts_with(kShardLock)) return true;
  }
  return false;
}

}  // namespace

std::optional<FolderKind> kind_of_folder(const Path& path) {
  namespace fs = std::filesystem;
  const RunFolder run{path};
  if (is_sweep(path)) return FolderKind::kSweep;
  if (fs::exists(path / "results.json")) return FolderKind::kReproduction;
  for (const Path& file : {run.result(), run.config(), run.checkpoint()}) {
    if (fs::exists(file)) return FolderKind::kRun;
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
