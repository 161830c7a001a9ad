#include "vision/activation_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>

#include "base/fail.h"
#include "base/folders.h"
#include "base/memory_budget.h"

namespace spml {
namespace {

constexpr const char* kFiles[2] = {"plain.f16", "mirrored.f16"};

// Behind the numbers of an entry. A hole in the file reads as zeros, which is no entry.
struct Seal {
  uint32_t written = 0x53504d4c;
  uint32_t checksum = 0;
};

// A link is not followed, nor is a file written to that also has another name.
int open_entries(const Path& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
  struct stat info;
  if (fd < 0) fail("{}: cannot open: {}", path.string(), std::strerror(errno));
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_nlink != 1) {
    ::close(fd);
    fail("{}: expected a file of its own; give another --cache", path.string());
  }
  return fd;
}

bool read_at(int fd, void* data, size_t bytes, uint64_t offset) {
  char* p = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::pread(fd, p, bytes, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n;
    bytes -= static_cast<size_t>(n);
    offset += static_cast<uint64_t>(n);
  }
  return true;
}

void write_at(int fd, const void* data, size_t bytes, uint64_t offset, const Path& path) {
  const char* p = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::pwrite(fd, p, bytes, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("{}: cannot write: {}", path.string(), std::strerror(errno));
    p += n;
    bytes -= static_cast<size_t>(n);
    offset += static_cast<uint64_t>(n);
  }
}

}  // namespace

ActivationCache::ActivationCache(const Path& folder, std::string_view name,
                                 std::vector<Path> images, size_t numbers)
    : images_(std::move(images)), numbers_(numbers) {
  make_folder(folder);
  make_folder_inside(folder / name);
  for (size_t i = 0; i < 2; ++i) paths_[i] = folder / name / kFiles[i];
  fds_[0] = open_entries(paths_[0]);
  try {
    fds_[1] = open_entries(paths_[1]);
  } catch (...) {
    ::close(fds_[0]);
    throw;
  }
}

ActivationCache::~ActivationCache() {
  for (const int fd : fds_) ::close(fd);
}

uint64_t ActivationCache::entry_bytes() const { return numbers_ * sizeof(uint16_t) + sizeof(Seal); }

uint64_t ActivationCache::bytes(size_t images, size_t numbers) {
  return saturating_product(2, images,
                            saturating_sum(saturating_product(2, numbers), sizeof(Seal)));
}

uint32_t ActivationCache::checksum(size_t row, std::span<const uint16_t> halves) const {
  const Path& image = images_.at(row);
  struct stat info = {};
  if (::stat(image.c_str(), &info) != 0) return 0;  // reading it will say what is wrong
  const int64_t facts[] = {info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
  const auto add = [](uLong sum, const void* data, size_t bytes) {
    return crc32_z(sum, static_cast<const Bytef*>(data), bytes);
  };
  uLong sum = add(0, image.native().data(), image.native().size());
  sum = add(sum, facts, sizeof(facts));
  return static_cast<uint32_t>(add(sum, halves.data(), halves.size_bytes()));
}

bool ActivationCache::read(size_t row, bool mirrored, std::span<uint16_t> halves) const {
  const uint64_t offset = row * entry_bytes();
  const int fd = fds_[mirrored ? 1 : 0];
  Seal seal;
  return read_at(fd, &seal, sizeof(seal), offset + halves.size_bytes()) &&
         seal.written == Seal{}.written &&
         read_at(fd, halves.data(), halves.size_bytes(), offset) &&
         seal.checksum == checksum(row, halves);
}

void ActivationCache::write(size_t row, bool mirrored, std::span<const uint16_t> halves) {
  const uint64_t offset = row * entry_bytes();
  const size_t file = mirrored ? 1 : 0;
  Seal seal;
  seal.checksum = checksum(row, halves);
  write_at(fds_[file], halves.data(), halves.size_bytes(), offset, paths_[file]);
  write_at(fds_[file], &seal, sizeof(seal), offset + halves.size_bytes(), paths_[file]);
}

uint64_t free_disk_space(const Path& folder) {
  Path there = std::filesystem::absolute(folder);
  struct statvfs info;
  while (::statvfs(there.c_str(), &info) != 0) {
    if (!there.has_relative_path()) return kTooMany;  // unknown
    there = there.parent_path();
  }
  return saturating_product(info.f_bavail, info.f_frsize);
}

void remove_activations(const Path& folder) {
  if (!is_folder(folder)) return;
  std::error_code ignored;  // what holds something else stays
  for (const Path& inside : list_folder(folder)) {
    const bool ours = inside.filename().string().starts_with("layer");
    if (!ours || is_link(inside) || !is_folder(inside)) continue;
    for (const char* file : kFiles) remove_file(inside / file);
    std::filesystem::remove(inside, ignored);
  }
  std::filesystem::remove(folder, ignored);
}

}  // namespace spml
