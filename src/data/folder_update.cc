#include "data/folder_update.h"

#include "base/fail.h"
#include "base/folders.h"

namespace spml {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLock = ".spml.lock";
constexpr const char* kUnfinished = ".spml.unfinished";
constexpr std::string_view kStaging = ".import-";

bool is_data_file(const std::string& name) {
  return name == "dataset.json" || name == "features_earlier.json" ||
         (name.ends_with(".npy") &&
          (name.starts_with("formatted_train_") || name.starts_with("formatted_val_") ||
           name.starts_with("train_features") || name.starts_with("val_features")));
}

void refuse_occupied(const Path& out) {
  for (const Path& entry : list_folder(out)) {
    if (entry.filename() == kLock) continue;  // ours, or one of a process that was killed
    fail("{}: the folder is not empty; choose another or give --overwrite", out.string());
  }
}

// Nobody else is at work here: what another process left is of one that was killed.
void remove_earlier(const Path& out, const Path& staging) {
  for (const Path& entry : list_folder(out)) {
    const std::string name = entry.filename().string();
    if (is_data_file(name)) remove_file(entry);
    std::error_code ignored;
    if (name.starts_with(kStaging) && entry != staging) fs::remove_all(entry, ignored);
  }
}

bool is_real_folder(const Path& path) {
  std::error_code ignored;
  return fs::is_directory(fs::symlink_status(path, ignored));
}

// What place() would stop at, when the earlier files are gone.
void check_place(const Path& from, const Path& to) {
  if (!is_real_folder(from)) {
    if (!is_real_folder(to)) return;
    fail("{}: expected a file to replace, found a folder; move it elsewhere", to.string());
  }
  if (!path_exists(to) && !is_link(to)) return;
  if (!is_real_folder(to)) {
    fail("{}: expected a folder to write to, found a {}; remove it first", to.string(),
         is_link(to) ? "symbolic link" : "file");
  }
  for (const Path& entry : list_folder(from)) check_place(entry, to / entry.filename());
}

// The same of remove_earlier().
void check_earlier(const Path& out) {
  for (const Path& entry : list_folder(out)) {
    if (!is_data_file(entry.filename().string()) || !is_real_folder(entry)) continue;
    fail("{}: expected a file of an earlier data set, found a folder; move it elsewhere",
         entry.string());
  }
}

// A folder goes into place as a whole, or file by file into one that is there.
void place(const Path& from, const Path& to) {
  if (!is_real_folder(from) || !path_exists(to)) return rename_path(from, to);
  make_folder_inside(to);
  for (const Path& entry : list_folder(from)) rename_path(entry, to / entry.filename());
  sync_folder(to);
}

}  // namespace

std::unique_ptr<FileLock> lock_data_folder(const Path& folder) {
  return std::make_unique<FileLock>(folder / kLock, folder.string(), FileLock::kRefuse,
                                    FileLock::kRemoved);
}

void refuse_unfinished(const Path& folder) {
  if (!path_exists(folder / kUnfinished)) return;
  fail(
      "{}: expected a whole data folder, found one whose import was stopped halfway; run it again "
      "with --overwrite",
      folder.string());
}

FolderUpdate::FolderUpdate(const Path& out, Earlier earlier)
    : out_(out.has_filename() ? out : out.parent_path()), earlier_(earlier) {
  const bool overwrite = earlier != Earlier::kRefuse;
  existed_ = path_exists(out_);
  if (existed_ && !is_folder(out_)) fail("{}: expected a folder", out_.string());
  if (existed_) {
    if (!overwrite) refuse_occupied(out_);  // before a lock file is left there
    lock_ = lock_data_folder(out_);
    if (!overwrite) refuse_occupied(out_);
  } else if (out_.has_parent_path()) {
    make_folder(out_.parent_path());
  }
  const std::string suffix = std::string(kStaging) + unpredictable_name();
  staging_ = existed_ ? out_ / suffix : Path(out_.string() + suffix);
  std::error_code error;
  if (!fs::create_directory(staging_, error)) {  // true only for one that was not there
    fail("{}: cannot create the folder: {}", staging_.string(), error.message());
  }
}

FolderUpdate::~FolderUpdate() {
  std::error_code ignored;
  fs::remove_all(staging_, ignored);
}

void FolderUpdate::finish() {
  sync_folder(staging_);
  if (existed_) return move_into_place();
  rename_path(staging_, out_);  // fails when another process has made it and put files there
  sync_folder(out_.parent_path());
}

void FolderUpdate::move_into_place() {
  check_earlier(out_);
  for (const Path& entry : list_folder(staging_)) check_place(entry, out_ / entry.filename());
  write_file(out_ / kUnfinished, "");
  if (earlier_ == Earlier::kReplace) remove_earlier(out_, staging_);
  for (const Path& entry : list_folder(staging_)) place(entry, out_ / entry.filename());
  sync_folder(out_);
  remove_file(out_ / kUnfinished);
  sync_folder(out_);
}

}  // namespace spml
