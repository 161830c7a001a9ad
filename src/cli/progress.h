// Progress on stderr: on a terminal a bar with rate and time left, elsewhere a plain line now and
// then, under --quiet nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace spml::cli {

class Progress {
 public:
  // `unit` names what is counted, as in "steps".
  Progress(std::string_view title, std::string unit, bool quiet);
  ~Progress();

  // Cheap enough for every step: draws at most ten times a second (every ten seconds when stderr
  // is not a terminal).
  void update(uint64_t done, uint64_t total, const std::string& note = "");
  // A separate line above the bar.
  void message(const std::string& text);

 private:
  void clear();

  using Clock = std::chrono::steady_clock;
  std::string title_, unit_;
  bool quiet_, terminal_, drawn_ = false;
  Clock::time_point start_ = Clock::now(), last_ = start_;
  uint64_t first_done_ = 0;
  bool started_ = false;
};

// "1:05" or "2:01:40"
std::string clock_text(double seconds);

// "130", "2.5" or "0.21" per second
std::string rate_text(double rate);

// A warning or notice on stderr.
void notice(const std::string& text);

// Makes Ctrl-C set a flag instead of ending the process; a second Ctrl-C ends it at once.
void catch_interrupt();
bool interrupted();

}  // namespace spml::cli
