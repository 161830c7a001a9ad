// What the targets share.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "base/files.h"
#include "spml/error.h"

namespace spml {

// Bytes as a file that can be mapped, without touching the disk.
class MemoryFile {
 public:
  explicit MemoryFile(std::span<const std::byte> bytes) : fd_(::memfd_create("fuzz", 0)) {
    if (fd_ < 0 || ::write(fd_, bytes.data(), bytes.size()) < 0) ::abort();
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(fd_); }
  Path path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class F>
bool accepts(F&& f) {
  try {
    f();
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace spml
