// Files that are safe to share with the rest of the world: read by mapping, written atomically.
// Reading follows symbolic links, since people keep data on other disks; writing never does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/path.h"

namespace spml {

// A read-only memory map of a whole file. Move-only. Throws Error when the file cannot be opened
// or is not a regular file (a pipe is refused at once, not waited for); an empty file gives empty
// bytes().
class MappedFile {
 public:
  MappedFile() = default;
  explicit MappedFile(const Path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  const Path& path() const { return path_; }

 private:
  Path path_;
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

// Error where writing a file of that name would replace a folder, a pipe or a device.
void expect_replaceable(const Path& path);

// Writes to a temporary file beside `path`, of a name nobody can foresee; commit() makes it durable
// (fsync of the file and of its folder) and gives it its name in one step. Without commit() nothing
// is left behind. Error when `path` is a folder, a pipe or a device: a rename would replace it.
class AtomicFile {
 public:
  explicit AtomicFile(const Path& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(const void* data, size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  // Overwrites bytes already written, e.g. a header whose contents are known only at the end.
  void write_at(uint64_t offset, const void* data, size_t bytes);
  void commit();

 private:
  Path path_;
  Path temporary_;
  int fd_ = -1;
};

void write_file(const Path& path, std::string_view text);  // atomically

// The whole file as text; Error when it is larger than max_bytes.
constexpr size_t kMaxTextFile = size_t{1} << 28;
std::string read_file(const Path& path, size_t max_bytes = kMaxTextFile);

// Creates a file that is not there yet, and nothing else: no link is followed, no file opened that
// another process made first. Gives the descriptor; Error with the reason.
int create_new_file(const Path& path);

// An exclusive advisory lock (flock) on `path`, held for the object's lifetime. When it is held
// elsewhere, the constructor waits or throws Error; `what` names the thing in use in the message.
class FileLock {
 public:
  enum WhenHeld { kRefuse, kWait };
  enum AtEnd { kStays, kRemoved };  // the file that is locked

  FileLock(const Path& path, std::string_view what, WhenHeld when_held = kRefuse,
           AtEnd at_end = kStays);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  Path removed_;  // at the end; empty: none
  int fd_ = -1;
};

}  // namespace spml
