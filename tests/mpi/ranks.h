// What the tests under mpirun share: ranks of the built program, and what they say.
#pragma once

#include <cstdlib>
#include <fstream>

#include "training.h"

namespace spml {

inline Words under_mpirun(int ranks, const Words& words) {
  return Words{"-n", std::to_string(ranks), program_path()} + words;
}

inline Ran run_ranks(int ranks, const Words& words) {
  return Running(SPML_MPIRUN, under_mpirun(ranks, words)).wait();
}

// mpirun's COMMAND with one rank on each of two hosts.
inline Ran run_on_two_hosts(const Words& command) {
  return Running(source_folder() / "tests" / "mpi" / "on_two_hosts.sh", command).wait();
}

// What the program itself says; mpirun adds lines of its own.
inline std::vector<std::string> lines_of_spml(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("spml: ")) lines.push_back(line);
  }
  return lines;
}

inline void expect_one_line(const Ran& ran, int code, const std::string& why) {
  EXPECT_EQ(ran.exit_code, code) << ran.err;
  EXPECT_EQ(ran.out, "");
  const auto lines = lines_of_spml(ran.err);
  ASSERT_EQ(lines.size(), 1u) << ran.err;
  EXPECT_THAT(lines[0], testing::HasSubstr(why));
}

// The processes whose arguments have this word.
inline std::vector<pid_t> processes_with(const std::string& word) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != name.npos) continue;
    std::ifstream in(entry.path() / "cmdline");
    std::string first, argument;
    std::getline(in, first, '\0');
    if (first != program_path()) continue;
    while (std::getline(in, argument, '\0')) {
      if (argument == word) found.push_back(static_cast<pid_t>(std::stoi(name)));
    }
  }
  return found;
}

class Mpi : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    // More ranks than cores, as root too, and none that keeps a core busy while it waits.
    for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                             "OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"}) {
      ::setenv(name, "1", 1);
    }
    // Open MPI does not free all it has at the end of a process.
    ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
  }

  std::string path(const std::string& name) const { return folder_ / name; }

  // Expects success of one rank on each of two hosts. Skips the test where the machine allows none.
  static void on_two_hosts(const Words& words) {
    const Ran ran = run_on_two_hosts(Words{program_path()} + words);
    if (ran.exit_code == kNotAllowed) GTEST_SKIP() << ran.err;
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
  }
  static constexpr int kNotAllowed = 77;  // of on_two_hosts.sh

  TemporaryFolder folder_;
};

}  // namespace spml
