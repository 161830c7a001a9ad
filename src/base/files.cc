#include "base/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/fail.h"
#include "base/folders.h"
#include "base/memory_budget.h"

namespace spml {
namespace {

std::string reason() { return std::strerror(errno); }

// Owns a descriptor only while a function sets things up; release() hands it over.
struct Descriptor {
  int fd = -1;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  int release() { return std::exchange(fd, -1); }
};

// What a rename would replace, when it is not a plain file. A link is replaced, not followed; but
// not one to a device, such as /dev/stdout.
const char* irreplaceable(const Path& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode)) return nullptr;
  return S_ISDIR(info.st_mode) ? "a folder" : S_ISFIFO(info.st_mode) ? "a pipe" : "a device";
}

// Beside `path`; the name is cut where the two together would be too long for a file name.
Path temporary_name(const Path& path) {
  constexpr size_t kMaxName = 200;
  Path temporary = path;
  temporary.replace_filename(path.filename().string().substr(0, kMaxName) + ".tmp-" +
                             unpredictable_name());
  return temporary;
}

}  // namespace

MappedFile::MappedFile(const Path& path) : path_(path) {
  // O_NONBLOCK: opening a pipe would wait for someone to write to it.
  Descriptor d{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  if (d.fd < 0) fail("{}: cannot open: {}", path.string(), reason());
  struct stat info;
  if (::fstat(d.fd, &info) != 0) fail("{}: cannot stat: {}", path.string(), reason());
  if (!S_ISREG(info.st_mode)) fail("{}: expected a regular file", path.string());
  size_ = static_cast<size_t>(info.st_size);
  if (size_ == 0) return;
  void* p = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, d.fd, 0);
  if (p == MAP_FAILED) fail("{}: cannot map {} bytes: {}", path.string(), size_, reason());
  data_ = static_cast<const std::byte*>(p);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

void expect_replaceable(const Path& path) {
  if (const char* found = irreplaceable(path); found != nullptr) {
    fail("{}: expected the name of a file to write, found {}", path.string(), found);
  }
}

AtomicFile::AtomicFile(const Path& path) : path_(path) {
  expect_replaceable(path);
  do {
    temporary_ = temporary_name(path);
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  } while (fd_ < 0 && errno == EEXIST);
  if (fd_ < 0) fail("{}: cannot create: {}", path.string(), reason());
}

AtomicFile::~AtomicFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(temporary_.c_str());
}

void AtomicFile::write(const void* data, size_t bytes) {
  const char* p = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::write(fd_, p, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("{}: cannot write: {}", path_.string(), reason());
    p += n;
    bytes -= static_cast<size_t>(n);
  }
}

void AtomicFile::write_at(uint64_t offset, const void* data, size_t bytes) {
  const char* p = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::pwrite(fd_, p, bytes, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("{}: cannot write: {}", path_.string(), reason());
    p += n;
    offset += static_cast<uint64_t>(n);
    bytes -= static_cast<size_t>(n);
  }
}

void AtomicFile::commit() {
  if (::fsync(fd_) != 0) fail("{}: cannot flush to disk: {}", path_.string(), reason());
  const int closed = ::close(std::exchange(fd_, -1));
  if (closed != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const std::string why = reason();
    ::unlink(temporary_.c_str());
    fail("{}: cannot put the finished file in place: {}", path_.string(), why);
  }
  sync_folder(path_.parent_path());
}

void write_file(const Path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

std::string read_file(const Path& path, size_t max_bytes) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  if (bytes.size() > max_bytes) {
    fail("{}: expected at most {} bytes, found {}", path.string(), max_bytes, bytes.size());
  }
  constexpr size_t kSmall = size_t{1} << 20;
  if (bytes.size() > kSmall) MemoryBudget().require(bytes.size(), path.string());
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

int create_new_file(const Path& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0) fail("{}: cannot create: {}", path.string(), reason());
  return fd;
}

FileLock::FileLock(const Path& path, std::string_view what, WhenHeld when_held, AtEnd at_end) {
  const int operation = when_held == kWait ? LOCK_EX : LOCK_EX | LOCK_NB;
  while (fd_ < 0) {
    Descriptor d{
        ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666)};
    if (d.fd < 0) fail("{}: cannot create the lock file: {}", path.string(), reason());
    struct stat held, named;
    if (::fstat(d.fd, &held) != 0 || !S_ISREG(held.st_mode)) {
      fail("{}: expected a regular file to lock, found something else; remove it", path.string());
    }
    while (::flock(d.fd, operation) != 0) {
      if (errno == EINTR) continue;
      if (errno != EWOULDBLOCK) fail("{}: cannot lock: {}", path.string(), reason());
      fail("{}: another spml process is using it; wait for it to end or choose another folder",
           what);
    }
    // Its last holder may have removed it between the two calls: then the next one would lock
    // another file of the same name.
    if (::stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
        held.st_dev == named.st_dev) {
      fd_ = d.release();
    }
  }
  if (at_end == kRemoved) removed_ = path;
}

FileLock::~FileLock() {
  if (!removed_.empty()) ::unlink(removed_.c_str());
  ::close(fd_);
}

}  // namespace spml
