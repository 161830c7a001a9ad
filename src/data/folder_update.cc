#include "data/folder_update.h"

#include "base/fail.h"
#include "base/folders.h"
#include "base/leftovers.h"

namespace spml {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLock = ".spml.lock";
constexpr const char* kUnfinished = ".spml.unfinished";
constexpr std::string_view kStaging = ".import-";  // and 16 hexadecimal digits
// In every folder of that name that is ours, and locked by the process that fills it.
constexpr const char* kStagingLock = ".spml.staging";

bool is_data_file(const std::string& name) {
  return name == "dataset.json" || name == "features_earlier.json" ||
         (name.ends_with(".npy") &&
          (name.starts_with("formatted_train_") || name.starts_with("formatted_val_") ||
           name.starts_with("train_features") || name.starts_with("val_features")));
}

bool is_real_folder(const Path& path) {
  std::error_code ignored;
  return fs::is_directory(fs::symlink_status(path, ignored));
}

bool is_staging_name(std::string_view name) {
  return name.size() == kStaging.size() + 16 && name.starts_with(kStaging) &&
         name.find_first_not_of("0123456789abcdef", kStaging.size()) == name.npos;
}

// By the lock inside: the name alone says nothing of whose it is.
bool is_staging(const Path& path) {
  std::error_code ignored;
  return is_staging_name(path.filename().string()) && is_real_folder(path) &&
         fs::is_regular_file(fs::symlink_status(path / kStagingLock, ignored));
}

void refuse_occupied(const Path& out) {
  for (const Path& entry : list_folder(out)) {
    // Ours, or of a process that was killed.
    if (entry.filename() == kLock || entry.filename() == kStagingLock || is_staging(entry))
      continue;
    fail("{}: the folder is not empty; choose another or give --overwrite", out.string());
  }
}

void remove_earlier(const Path& out) {
  for (const Path& entry : list_folder(out)) {
    if (is_data_file(entry.filename().string())) remove_file(entry);
  }
}

// What killed writers left in a folder: nobody holds the lock inside.
void remove_staging(const Path& folder) {
  std::error_code ignored;
  for (fs::directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored)) {
    if (!is_staging(entry->path())) continue;
    try {
      const FileLock nobody(entry->path() / kStagingLock, entry->path().string());
      fs::remove_all(entry->path(), ignored);
    } catch (const Error&) {  // somebody is at work there, or it is not ours to open
    }
  }
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
  auto lock = std::make_unique<FileLock>(folder / kLock, folder.string(), FileLock::kRefuse,
                                         FileLock::kRemoved);
  remove_leftovers(folder, [](std::string_view name) {
    const bool is_journal = name.starts_with('.') && name.ends_with(".journal");  // of extract
    return is_data_file(std::string(name)) || name == kUnfinished || is_journal;
  });
  return lock;
}

void refuse_unfinished(const Path& folder, std::string_view but) {
  const Path mark = folder / kUnfinished;
  if (!path_exists(mark)) return;
  constexpr size_t kMaxMark = 64;
  const std::string command = read_file(mark, kMaxMark);
  for (const std::string_view replacing : {"extract", "observe"}) {
    if (command != replacing) continue;
    if (command == but) return;
    fail(
        "{}: expected a whole data folder, found one whose `spml {}` was stopped while it put its "
        "files in place; run it again with --force",
        folder.string(), command);
  }
  fail(
      "{}: expected a whole data folder, found one whose import was stopped halfway; run it again "
      "with --overwrite",
      folder.string());
}

UnfinishedMark::UnfinishedMark(const Path& folder, std::string_view command) : folder_(folder) {
  write_file(folder_ / kUnfinished, command);
}

void UnfinishedMark::lift() {
  sync_folder(folder_);
  remove_file(folder_ / kUnfinished);
  sync_folder(folder_);
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
  const Path where = existed_ ? out_ : out_.parent_path();
  remove_staging(where.empty() ? "." : where);
  staging_ = where / (std::string(kStaging) + unpredictable_name());
  std::error_code error;
  if (!fs::create_directory(staging_, error)) {  // true only for one that was not there
    fail("{}: cannot create the folder: {}", staging_.string(), error.message());
  }
  at_work_ = std::make_unique<FileLock>(staging_ / kStagingLock, staging_.string());
}

FolderUpdate::~FolderUpdate() {
  std::error_code ignored;
  fs::remove_all(staging_, ignored);
}

void FolderUpdate::finish() {
  sync_folder(staging_);
  if (existed_) return move_into_place();
  rename_path(staging_, out_);  // fails when another process has made it and put files there
  remove_file(out_ / kStagingLock);
  sync_folder(out_.parent_path());
}

void FolderUpdate::move_into_place() {
  check_earlier(out_);
  for (const Path& entry : list_folder(staging_)) check_place(entry, out_ / entry.filename());
  UnfinishedMark mark(out_, "import");
  if (earlier_ == Earlier::kReplace) remove_earlier(out_);
  for (const Path& entry : list_folder(staging_)) {
    if (entry.filename() != kStagingLock) place(entry, out_ / entry.filename());
  }
  mark.lift();
}

}  // namespace spml
