// Running another program.
#pragma once

#include <string>
#include <vector>

#include "base/files.h"

namespace spml {

struct ProcessResult {
  bool started = false;  // false: the program is not installed
  int exit_code = -1;    // 128 + n when signal n ended it
  std::string output;    // what it printed on stdout and stderr, the last 64 KiB
};

// Runs arguments[0], looked up in PATH, in `folder`, without a shell and with no input; waits for
// its end.
ProcessResult run_process(const std::vector<std::string>& arguments, const Path& folder);

// Starts arguments[0], looked up in PATH, in `folder` and does not wait for it: in a session of its
// own, so that Ctrl-C is not for it, with no input, no output and no other file of this process.
// The number of the process; 0 when the program is not installed.
int start_process(const std::vector<std::string>& arguments, const Path& folder);

// Whether a process that was started so has failed by now.
bool has_failed(int process);

}  // namespace spml
