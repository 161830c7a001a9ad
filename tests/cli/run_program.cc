#include "run_program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <sstream>

#include "base/fail.h"

namespace spml {

Running::Running(const std::vector<std::string>& arguments) : Running(program_path(), arguments) {}

Running::Running(const std::string& program, const std::vector<std::string>& arguments) {
  const std::string out = folder_ / "out", err = folder_ / "err";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int spawned =
      ::posix_spawn(&pid_, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (spawned != 0) fail("cannot run {}", program);
}

Running::~Running() {
  if (ended_) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, &status_, 0);
}

void Running::signal(int number) const { ::kill(pid_, number); }

bool Running::ended() {
  if (!ended_) ended_ = ::waitpid(pid_, &status_, WNOHANG) == pid_;
  return ended_;
}

Ran Running::wait() {
  if (!ended_ && ::waitpid(pid_, &status_, 0) != pid_) fail("cannot wait for process {}", pid_);
  ended_ = true;
  return {WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_),
          read_file(folder_ / "out"), read_file(folder_ / "err")};
}

Ran run_program(const std::vector<std::string>& arguments) { return Running(arguments).wait(); }

Ran run_program(const std::string& words) {
  std::vector<std::string> arguments;
  std::istringstream in(words);
  for (std::string word; std::getline(in, word, ' ');) arguments.push_back(word);
  return run_program(arguments);
}

}  // namespace spml
