// Preloaded into the program by crash_test: ends it before the n-th call that changes a disk, or
// lets that call and all later ones fail. Without an n it counts them.
//   SPML_FAULT_AT=n  SPML_FAULT=kill|ENOSPC|EIO  SPML_FAULT_COUNT=file
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>

namespace {

std::atomic<long> calls{0};
long fault_at = 0;
int fault_errno = 0;  // 0: the process is killed

__attribute__((constructor)) void begin() {
  const char* at = getenv("SPML_FAULT_AT");
  const char* kind = getenv("SPML_FAULT");
  fault_at = at != nullptr ? atol(at) : 0;
  if (kind != nullptr && strcmp(kind, "ENOSPC") == 0) fault_errno = ENOSPC;
  if (kind != nullptr && strcmp(kind, "EIO") == 0) fault_errno = EIO;
}

__attribute__((destructor)) void end() {
  const char* count = getenv("SPML_FAULT_COUNT");
  FILE* file = count != nullptr ? fopen(count, "w") : nullptr;
  if (file == nullptr) return;
  fprintf(file, "%ld\n", calls.load());
  fclose(file);
}

// Whether this call is to fail.
bool fails() {
  const long call = ++calls;
  if (fault_at == 0 || call < fault_at) return false;
  if (fault_errno == 0) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
  }
  errno = fault_errno;
  return true;
}

// Pipes, terminals and devices are no disks.
bool is_file(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && fd > STDERR_FILENO;
}

template <class Function>
Function* next(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}
#define NEXT(name) next(&::name, #name)

}  // namespace

extern "C" {

ssize_t write(int fd, const void* data, size_t size) {
  if (is_file(fd) && fails()) return -1;
  return NEXT(write)(fd, data, size);
}
ssize_t writev(int fd, const struct iovec* parts, int count) {
  if (is_file(fd) && fails()) return -1;
  return NEXT(writev)(fd, parts, count);
}
ssize_t pwrite(int fd, const void* data, size_t size, off_t offset) {
  if (is_file(fd) && fails()) return -1;
  return NEXT(pwrite)(fd, data, size, offset);
}
ssize_t pwrite64(int fd, const void* data, size_t size, off64_t offset) {
  if (is_file(fd) && fails()) return -1;
  return NEXT(pwrite64)(fd, data, size, offset);
}
int ftruncate(int fd, off_t size) noexcept { return fails() ? -1 : NEXT(ftruncate)(fd, size); }
int ftruncate64(int fd, off64_t size) noexcept {
  return fails() ? -1 : NEXT(ftruncate64)(fd, size);
}
int fsync(int fd) { return fails() ? -1 : NEXT(fsync)(fd); }
int fdatasync(int fd) { return fails() ? -1 : NEXT(fdatasync)(fd); }
int rename(const char* from, const char* to) noexcept {
  return fails() ? -1 : NEXT(rename)(from, to);
}
int mkdir(const char* path, mode_t mode) noexcept { return fails() ? -1 : NEXT(mkdir)(path, mode); }
// A full disk does not keep anything from being removed.
int unlink(const char* path) noexcept {
  return fault_errno != ENOSPC && fails() ? -1 : NEXT(unlink)(path);
}
int unlinkat(int fd, const char* path, int flags) noexcept {
  return fault_errno != ENOSPC && fails() ? -1 : NEXT(unlinkat)(fd, path, flags);
}
int remove(const char* path) noexcept {
  return fault_errno != ENOSPC && fails() ? -1 : NEXT(remove)(path);
}
}  // extern "C"
