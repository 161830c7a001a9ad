// Writing a data folder so that nobody ever sees half of it: one writer at a time, and all files
// appear together.
#pragma once

#include <memory>
#include <string_view>

#include "base/files.h"

namespace spml {

// Held by whoever changes files of a data folder that exists; Error when another process does.
std::unique_ptr<FileLock> lock_data_folder(const Path& folder);

// Error when a writer was killed while it put its files in place: what is there belongs to two
// different data sets. The command `but` may go on: it replaces the files that it left before.
void refuse_unfinished(const Path& folder, std::string_view but = "");

// Says that a command is putting files of a data folder in place, one after the other: from its
// construction to lift(), and for good when the command is killed between the two.
class UnfinishedMark {
 public:
  UnfinishedMark(const Path& folder, std::string_view command);
  void lift();

 private:
  Path folder_;
};

// Files are written to staging(), a folder of a name of its own, beside `out` or, when that exists,
// inside it. finish() puts them in place: a new folder by one rename; in an existing one, file by
// file behind a mark that open_dataset() refuses, after an earlier data set's files are removed.
// Without finish() nothing is left.
class FolderUpdate {
 public:
  enum class Earlier {
    kRefuse,   // Error when `out` is not empty
    kReplace,  // the files of an earlier data folder are removed, no others are touched
    kKeep,     // as kReplace, but only files of the same names are replaced
  };
  FolderUpdate(const Path& out, Earlier earlier);
  FolderUpdate(const Path& out, bool overwrite)
      : FolderUpdate(out, overwrite ? Earlier::kReplace : Earlier::kRefuse) {}
  FolderUpdate(const FolderUpdate&) = delete;
  FolderUpdate& operator=(const FolderUpdate&) = delete;
  ~FolderUpdate();

  const Path& out() const { return out_; }  // without a trailing slash
  const Path& staging() const { return staging_; }
  void finish();

 private:
  void move_into_place();

  Path out_, staging_;
  Earlier earlier_;
  bool existed_ = false;
  std::unique_ptr<FileLock> lock_;     // of a folder that existed
  std::unique_ptr<FileLock> at_work_;  // of staging(), as long as somebody fills it
};

}  // namespace spml
