// What a sweep shows: the best run of every loss, while it runs and at the end.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "experiment/config.h"

namespace spml::cli {

// best.json's "best" as text, a line per loss.
std::string sweep_table(const Json& best);

// Progress on stderr. On a terminal: the best so far of every loss, redrawn in place after each
// run; elsewhere a line per run.
class LiveTable {
 public:
  explicit LiveTable(bool quiet);
  ~LiveTable();

  void add(const Json& result, size_t done, size_t total);

 private:
  void erase();

  bool quiet_, terminal_;
  int lines_ = 0;
  std::vector<Json> results_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace spml::cli
