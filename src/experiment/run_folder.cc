#include "experiment/run_folder.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/fail.h"
#include "base/folders.h"
#include "experiment/folder_kind.h"

namespace spml {
namespace {

constexpr const char* kLockName = ".lock";

std::vector<Path> files_of(const RunFolder& run) {
  return {run.result(),     run.checkpoint(),  run.config(),    run.metrics(),
          run.model(),      run.thresholds(),  run.estimates(), run.estimator(),
          run.train_rows(), run.calibration(), run.search(),    run.checkpoint_parts()};
}

constexpr std::string_view kPart = "checkpoint-", kPartEnding = ".safetensors";

bool is_checkpoint_part(const Path& entry) {
  const std::string name = entry.filename().string();
  return name.starts_with(kPart) && name.ends_with(kPartEnding);
}

// The temporary file of a write that was cut short, of a file of the run.
bool is_leftover(const RunFolder& run, const Path& entry) {
  const std::vector<Path> files = files_of(run);
  const std::string name = entry.filename().string();
  if (name.starts_with(kPart) && name.find(".safetensors.tmp-") != name.npos) return true;
  return std::any_of(files.begin(), files.end(), [&](const Path& file) {
    return entry.filename().string().starts_with(file.filename().string() + ".tmp-");
  });
}

}  // namespace

std::unique_ptr<FileLock> claim_folder(const Path& path, Existing existing) {
  make_folder(path);
  if (existing != Existing::kRefuse) expect_kind(path, FolderKind::kRun);
  auto lock = std::make_unique<FileLock>(path / kLockName, path.string());
  for (const Path& entry : list_folder(path)) {
    if (entry.filename() == kLockName) continue;
    if (is_leftover({path}, entry)) {
      remove_file(entry);
    } else if (existing == Existing::kRefuse) {
      fail(
          "{}: the folder is not empty; give --resume to continue, --overwrite to start again, or "
          "another --out",
          path.string());
    }
  }
  return lock;
}

Path run_inside(const Path& folder, const std::string& name, const Path& list) {
  const Path path = name;
  if (path.empty() || path.is_absolute() ||
      std::find(path.begin(), path.end(), "..") != path.end()) {
    fail("{}: expected runs inside the folder, found '{}'", list.string(), name);
  }
  return folder / path;
}

void clear_run(const RunFolder& run) {
  for (const Path& file : files_of(run)) remove_file(file);
  remove_checkpoints(run);
}

Path RunFolder::checkpoint_part(uint64_t step, int rank) const {
  return path / fmt::format("{}{}-{}{}", kPart, step, rank, kPartEnding);
}

void remove_checkpoints(const RunFolder& run) {
  remove_file(run.checkpoint());
  remove_checkpoint_parts(run);
}

void remove_checkpoint_parts(const RunFolder& run) {
  remove_file(run.checkpoint_parts());
  for (const Path& entry : list_folder(run.path)) {
    if (is_checkpoint_part(entry)) remove_file(entry);
  }
}

}  // namespace spml
