// What a sweep shows: the best run of every loss, while it runs and at the end.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "sweep/winners.h"

namespace spml::cli {

// A line per loss. A mean over fewer seeds than were asked for is marked, with a line that says so.
std::string sweep_table(const NamedList<Winner>& best);

// Progress on stderr. On a terminal: the best so far of every loss, redrawn in place after each
// run; elsewhere a line now and then.
class LiveTable {
 public:
  explicit LiveTable(bool quiet);
  ~LiveTable();

  void add(const SweepRun& run, size_t done, size_t total);

 private:
  void erase();

  bool quiet_, terminal_;
  int lines_ = 0;
  std::vector<SweepRun> runs_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), drawn_ = start_;
};

}  // namespace spml::cli
