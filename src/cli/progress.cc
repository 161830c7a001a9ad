#include "cli/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>

#include "base/text.h"
#include "cli/standard_streams.h"

namespace spml::cli {
namespace {

constexpr int kBarWidth = 24;

volatile std::sig_atomic_t g_interrupted = 0;

void on_interrupt(int) {
  g_interrupted = 1;
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace

std::string clock_text(double seconds) {
  const auto s = static_cast<uint64_t>(std::llround(std::max(0.0, seconds)));
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string rate_text(double rate) {
  return rate < 10 ? fmt::format("{:.2g}", rate) : fmt::format("{:.0f}", rate);
}

void notice(const std::string& text) { say(fmt::format("spml: {}\n", printable(text))); }

void catch_interrupt() { std::signal(SIGINT, on_interrupt); }

bool interrupted() { return g_interrupted != 0; }

Progress::Progress(std::string_view title, std::string unit, bool quiet)
    : title_(printable(title)),
      unit_(std::move(unit)),
      quiet_(quiet),
      terminal_(::isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (drawn_) say("\r\033[K");
  drawn_ = false;
}

void Progress::update(uint64_t done, uint64_t total, const std::string& note) {
  if (quiet_) return;
  const auto now = Clock::now();
  if (!started_) {
    started_ = true;
    first_done_ = done;
    start_ = last_ = now;
  }
  const double interval = terminal_ ? 0.1 : 10.0;
  if (std::chrono::duration<double>(now - last_).count() < interval) return;
  last_ = now;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(done - first_done_) / std::max(elapsed, 1e-9);
  const double left = rate > 0 ? static_cast<double>(total - done) / rate : 0;
  const std::string text =
      fmt::format("{}/{} {}  {}/s  {} left{}{}", done, total, unit_, rate_text(rate),
                  clock_text(left), note.empty() ? "" : "  ", printable(note));
  if (!terminal_) {
    say(fmt::format("{}: {}\n", title_, text));
    return;
  }
  const int filled = total > 0 ? static_cast<int>(done * kBarWidth / total) : 0;
  say(fmt::format("\r\033[K{} [{:=<{}}{:<{}}] {}", title_, "", filled, "", kBarWidth - filled,
                  text));
  drawn_ = true;
}

void Progress::message(const std::string& text) {
  if (quiet_) return;
  clear();
  say(fmt::format("{}\n", printable(text)));
}

}  // namespace spml::cli
