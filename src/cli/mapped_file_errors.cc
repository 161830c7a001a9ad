#include "cli/mapped_file_errors.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace spml::cli {
namespace {

// Below, only functions that are safe in a signal handler: no allocation, no stdio.

void say(const char* text, size_t size) {
  while (size > 0) {
    const ssize_t n = ::write(STDERR_FILENO, text, size);
    if (n <= 0) return;
    text += n;
    size -= static_cast<size_t>(n);
  }
}

// Lines of /proc/self/maps: "begin-end flags offset device inode   path".
class MapsReader {
 public:
  MapsReader() : fd_(::open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}
  MapsReader(const MapsReader&) = delete;
  MapsReader& operator=(const MapsReader&) = delete;
  ~MapsReader() { ::close(fd_); }

  bool next_line() {
    length_ = 0;
    for (char c; next(c);) {
      if (c == '\n') return true;
      if (length_ + 1 < sizeof line_) line_[length_++] = c;
    }
    return false;
  }

  bool holds(uintptr_t address) const {
    size_t at = 0;
    const uintptr_t begin = hexadecimal(at);
    ++at;  // the dash
    return address >= begin && address < hexadecimal(at);
  }

  // The path in the line; nothing for memory that no file backs.
  const char* path(size_t& size) const {
    const void* slash = std::memchr(line_, '/', length_);
    if (slash == nullptr) return nullptr;
    const char* begin = static_cast<const char*>(slash);
    size = static_cast<size_t>(line_ + length_ - begin);
    return begin;
  }

 private:
  bool next(char& c) {
    if (at_ == filled_) {
      const ssize_t n = ::read(fd_, buffer_, sizeof buffer_);
      if (n <= 0) return false;
      filled_ = static_cast<size_t>(n);
      at_ = 0;
    }
    c = buffer_[at_++];
    return true;
  }

  uintptr_t hexadecimal(size_t& at) const {
    uintptr_t value = 0;
    for (; at < length_; ++at) {
      const char c = line_[at];
      if (c >= '0' && c <= '9') {
        value = value * 16 + static_cast<uintptr_t>(c - '0');
      } else if (c >= 'a' && c <= 'f') {
        value = value * 16 + static_cast<uintptr_t>(c - 'a' + 10);
      } else {
        break;
      }
    }
    return value;
  }

  int fd_;
  char buffer_[4096], line_[4096 + 128];
  size_t at_ = 0, filled_ = 0, length_ = 0;
};

std::atomic<bool> g_reporting{false};

void on_bus_error(int, siginfo_t* info, void*) {
  while (g_reporting.exchange(true)) ::pause();  // another thread hit the same file
  constexpr char kBegin[] = "spml: error: ";
  constexpr char kEnd[] = ": the file became shorter, or its disk failed, while it was read\n";
  say(kBegin, sizeof kBegin - 1);
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  for (MapsReader maps; maps.next_line();) {
    size_t size = 0;
    const char* path = maps.holds(address) ? maps.path(size) : nullptr;
    if (path == nullptr) continue;
    for (size_t i = 0; i < size; ++i) {  // names may contain control characters
      const bool plain = path[i] >= 0x20 && path[i] < 0x7f;
      say(plain ? path + i : "?", 1);
    }
    break;
  }
  say(kEnd, sizeof kEnd - 1);
  ::_exit(1);
}

}  // namespace

void explain_mapped_file_errors() {
  struct sigaction action = {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace spml::cli
