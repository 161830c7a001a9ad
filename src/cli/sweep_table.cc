#include "cli/sweep_table.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "cli/progress.h"
#include "experiment/sweep.h"

namespace spml::cli {
namespace {

std::string number(const Json& value, const char* format_missing = "-") {
  return value.is_null() ? format_missing : fmt::format("{:.2f}", value.get<double>());
}

// Test MAP of a winner: with its deviation when there are several seeds.
std::string test_text(const Json& winner) {
  if (!winner.contains("test_map_mean")) return number(winner["test_map"]);
  return fmt::format("{:.2f} +- {:.2f}", winner["test_map_mean"].get<double>(),
                     winner["test_map_std"].get<double>());
}

}  // namespace

std::string sweep_table(const Json& best) {
  std::string text = fmt::format("{:<14} {:>8} {:>6} {:>6} {:>8} {:>16} {:>8}\n", "loss", "lr",
                                 "batch", "epoch", "val MAP", "test MAP", "train MAP");
  for (const auto& [loss, winner] : best.items()) {
    text += fmt::format(
        "{:<14} {:>8g} {:>6} {:>6} {:>8} {:>16} {:>8}\n", loss, winner["lr"].get<double>(),
        winner["batch"].get<size_t>(), winner["best_epoch"].get<int>(),
        number(winner.contains("val_map_mean") ? winner["val_map_mean"] : winner["val_map"]),
        test_text(winner), number(winner["train_map"]));
  }
  return text;
}

LiveTable::LiveTable(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) != 0) {}

LiveTable::~LiveTable() { erase(); }

void LiveTable::add(const Json& result, size_t done, size_t total) {
  results_.push_back(result);
  if (quiet_) return;
  if (!terminal_) {
    fmt::print(stderr, "sweep: {}/{} {} lr {:g} batch {} seed {}: val {} test {}\n", done, total,
               result["loss"].get<std::string>(), result["lr"].get<double>(),
               result["batch"].get<size_t>(), result["seed"].get<uint64_t>(),
               number(result["val_map"]), number(result["test_map"]));
    return;
  }
  erase();
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const double left = elapsed / static_cast<double>(done) * static_cast<double>(total - done);
  const std::string text = sweep_table(best_per_loss(results_)) +
                           fmt::format("{}/{} runs  {} left\n", done, total, clock_text(left));
  lines_ = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  fmt::print(stderr, "{}", text);
}

void LiveTable::erase() {
  if (lines_ > 0) fmt::print(stderr, "\033[{}A\033[J", lines_);
  lines_ = 0;
}

}  // namespace spml::cli
