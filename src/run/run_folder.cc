#include "run/run_folder.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/fail.h"
#include "base/folders.h"
#include "base/leftovers.h"
#include "run/folder_kind.h"

namespace spml {
namespace {

constexpr const char* kLockName = ".lock";

std::vector<Path> files_of(const RunFolder& run) {
  return {run.result(),        run.checkpoint(),  run.config(),    run.metrics(),
          run.model(),         run.thresholds(),  run.estimates(), run.estimator(),
          run.train_rows(),    run.calibration(), run.search(),    run.checkpoint_parts(),
          run.search_journal()};
}

constexpr std::string_view kPart = "checkpoint-", kPartEnding = ".safetensors";

bool consists_of(std::string_view text, std::string_view characters) {
  return !text.empty() && text.find_first_not_of(characters) == text.npos;
}

std::vector<Path> checkpoint_parts_of(const RunFolder& run) {
  std::vector<Path> parts = list_folder(run.path);
  std::erase_if(parts,
                [](const Path& entry) { return !is_checkpoint_part(entry.filename().string()); });
  return parts;
}

std::filesystem::file_type type_of(const Path& path) {
  std::error_code ignored;  // what cannot be looked at is of no type
  return std::filesystem::symlink_status(path, ignored).type();
}

// The temporary file of a write that was cut short, of a file of the run.
bool is_leftover(const RunFolder& run, const Path& entry) {
  const auto name = leftover_of(entry);
  if (!name) return false;
  const std::vector<Path> files = files_of(run);
  return is_checkpoint_part(*name) || std::ranges::find(files, run.path / *name) != files.end();
}

// Error unless it is a file or a link, or missing: nothing else is taken away.
void expect_removable(const Path& path) {
  using std::filesystem::file_type;
  const file_type type = type_of(path);
  if (type == file_type::regular || type == file_type::symlink || type == file_type::not_found) {
    return;
  }
  fail("{}: expected a file of a run, found something else; remove it, or choose another --out",
       path.string());
}

}  // namespace

bool is_checkpoint_part(std::string_view name) {
  if (!name.starts_with(kPart) || !name.ends_with(kPartEnding)) return false;
  name = name.substr(kPart.size(), name.size() - kPart.size() - kPartEnding.size());
  const size_t dash = name.find('-');
  constexpr std::string_view kDigits = "0123456789";
  return dash != name.npos && consists_of(name.substr(0, dash), kDigits) &&
         consists_of(name.substr(dash + 1), kDigits);
}

std::unique_ptr<FileLock> claim_folder(const Path& path, Existing existing) {
  make_folder(path);
  if (existing != Existing::kRefuse) {
    expect_kind(path, FolderKind::kRun);
    expect_no_foreign_files(path);
  }
  auto lock = std::make_unique<FileLock>(path / kLockName, path.string());
  std::vector<Path> leftovers;
  for (const Path& entry : list_folder(path)) {
    if (entry.filename() == kLockName) continue;
    if (is_leftover({path}, entry)) {
      leftovers.push_back(entry);
    } else if (existing == Existing::kRefuse) {
      fail(
          "{}: the folder is not empty; give --resume to continue, --overwrite to start again, or "
          "another --out",
          path.string());
    }
  }
  for (const Path& leftover : leftovers) remove_file(leftover);
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
  std::vector<Path> files = files_of(run);
  const std::vector<Path> parts = checkpoint_parts_of(run);
  files.insert(files.end(), parts.begin(), parts.end());
  for (const Path& file : files) expect_removable(file);
  for (const Path& file : files) remove_file(file);
}

Path RunFolder::checkpoint_part(uint64_t step, int rank) const {
  return path / fmt::format("{}{}-{}{}", kPart, step, rank, kPartEnding);
}

void remove_checkpoints(const RunFolder& run) {
  expect_removable(run.checkpoint());
  remove_file(run.checkpoint());
  remove_checkpoint_parts(run);
}

void remove_checkpoint_parts(const RunFolder& run) {
  std::vector<Path> files = checkpoint_parts_of(run);
  files.insert(files.begin(), run.checkpoint_parts());
  for (const Path& file : files) expect_removable(file);
  for (const Path& file : files) remove_file(file);
}

}  // namespace spml
