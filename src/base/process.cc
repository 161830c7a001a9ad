#include "base/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/fail.h"

extern char** environ;

namespace spml {
namespace {

constexpr size_t kKept = size_t{64} << 10;

std::string read_to_end(int fd) {
  std::string text;
  char buffer[4096];
  while (true) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer, static_cast<size_t>(n));
    if (text.size() > 2 * kKept) text.erase(0, text.size() - kKept);
  }
}

// A program's arguments as exec takes them; valid as long as `arguments` are.
std::vector<char*> words_of(const std::vector<std::string>& arguments) {
  std::vector<char*> words;
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  return words;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments, const Path& folder) {
  const std::vector<char*> argv = words_of(arguments);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("cannot make a pipe: {}", std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);

  ProcessResult result;
  if (error == 0) {
    result.started = true;
    result.output = read_to_end(ends[0]);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  ::close(ends[0]);
  if (error != 0 && error != ENOENT) fail("cannot run {}: {}", arguments[0], std::strerror(error));
  return result;
}

int start_process(const std::vector<std::string>& arguments, const Path& folder) {
  const std::vector<char*> argv = words_of(arguments);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, argv[0], &actions, &how, argv.data(), environ);
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0 && error != ENOENT) fail("cannot run {}: {}", arguments[0], std::strerror(error));
  return error == 0 ? child : 0;
}

bool has_failed(int process) {
  int status = 0;
  return ::waitpid(process, &status, WNOHANG) == process &&
         !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace spml
