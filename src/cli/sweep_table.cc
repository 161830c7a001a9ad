#include "cli/sweep_table.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "cli/progress.h"
#include "cli/standard_streams.h"

namespace spml::cli {
namespace {

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.2f}", *value) : "-";
}

// Test MAP of a winner: with its deviation when there are several seeds.
std::string test_text(const Winner& winner) {
  if (!winner.test_map_std) return number(winner.test_map());
  return fmt::format("{} +- {}", number(winner.test_map()), number(winner.test_map_std));
}

// Whether a step size, a batch and an epoch say something of it.
bool has_steps(const RunResult& result) {
  TrainConfig config;
  config.loss = result.loss;
  config.mode = result.mode;
  return takes_steps(config);
}

// What is missing of the winners, a line each.
std::string missing_seeds_text(const NamedList<Winner>& best) {
  std::string text;
  for (const auto& [loss, winner] : best) {
    if (winner.seeds_missing.empty()) continue;
    const size_t done = winner.members.size();
    text += fmt::format("* {}: {} of {} seeds, not finished: {}\n", loss, done,
                        done + winner.seeds_missing.size(), fmt::join(winner.seeds_missing, ", "));
  }
  return text;
}

}  // namespace

std::string sweep_table(const NamedList<Winner>& best) {
  std::string text = fmt::format("{:<14} {:>8} {:>6} {:>6} {:>8} {:>16} {:>8}\n", "loss", "lr",
                                 "batch", "epoch", "val MAP", "test MAP", "train MAP");
  for (const auto& [loss, winner] : best) {
    const RunResult& result = winner.result;
    const bool steps = has_steps(result);
    text += fmt::format("{:<14} {:>8} {:>6} {:>6} {:>8} {:>16} {:>8}\n",
                        loss + (winner.seeds_missing.empty() ? "" : "*"),
                        steps ? fmt::format("{:g}", result.lr) : "-",
                        steps ? std::to_string(result.batch) : "-",
                        steps ? std::to_string(result.best_epoch) : "-", number(winner.val_map()),
                        test_text(winner), number(result.train_map));
  }
  return text + missing_seeds_text(best);
}

LiveTable::LiveTable(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) != 0) {}

LiveTable::~LiveTable() { erase(); }

void LiveTable::add(const SweepRun& run, size_t done, size_t total) {
  runs_.push_back(run);
  if (quiet_) return;
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_) {  // a line now and then
    if (now - drawn_ < std::chrono::seconds(10)) return;
    drawn_ = now;
    const RunResult& result = run.record.result;
    say(fmt::format("sweep: {}/{} {} lr {:g} batch {} seed {}: val {} test {}\n", done, total,
                    printable(result.loss), result.lr, result.batch, result.seed,
                    number(result.val_map), number(result.test_map)));
    return;
  }
  // All runs are compared each time: not more than ten times a second, of however many.
  if (done < total && lines_ > 0 && now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  erase();
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double left = elapsed / static_cast<double>(done) * static_cast<double>(total - done);
  const std::string text = sweep_table(best_per_loss(runs_)) +
                           fmt::format("{}/{} runs  {} left\n", done, total, clock_text(left));
  lines_ = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  say(text);
}

void LiveTable::erase() {
  if (lines_ > 0) say(fmt::format("\033[{}A\033[J", lines_));
  lines_ = 0;
}

}  // namespace spml::cli
