#include "experiment/sweep.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <set>

#include "base/fail.h"
#include "base/folders.h"
#include "base/parallel.h"
#include "experiment/config_json.h"
#include "experiment/config_words.h"
#include "experiment/folder_kind.h"
#include "experiment/record_fields.h"
#include "formats/json_fields.h"

namespace spml {
namespace {

// FNV-1a: tells configurations apart in folder names.
uint32_t short_hash(std::string_view text) {
  uint32_t hash = 2166136261u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

// A configuration that is listed twice is one run.
std::vector<TrainConfig> without_repeats(const std::vector<TrainConfig>& configs) {
  std::vector<TrainConfig> grid;
  std::set<std::string> names;
  for (const TrainConfig& config : configs) {
    if (names.insert(run_name(config)).second) grid.push_back(config);
  }
  return grid;
}

std::string run_folder_name(const TrainConfig& config) { return "runs/" + run_name(config); }

// The finished runs of the grid in its order: those of this process, and what the others have left.
std::vector<SweepRun> all_finished(const std::vector<TrainConfig>& grid, std::vector<SweepRun> mine,
                                   const Path& out) {
  std::vector<SweepRun> runs;
  for (const TrainConfig& config : grid) {
    const std::string name = run_folder_name(config);
    const auto found = std::ranges::find(mine, name, &SweepRun::run);
    if (found != mine.end()) {
      runs.push_back(std::move(*found));
      continue;
    }
    const Path result = RunFolder{out / name}.result();
    if (!path_exists(result)) continue;
    try {
      runs.push_back({name, config, read_run(out / name)});
    } catch (const Error&) {
      if (path_exists(result)) throw;  // else another process does it again
    }
  }
  return runs;
}

}  // namespace

std::string run_name(const TrainConfig& config) {
  return fmt::format("{}-lr{:g}-b{}-s{}-{:08x}", config.loss, config.learning_rate(), config.batch,
                     config.seed, short_hash(record_text(config)));
}

GridRuns run_grid(const Dataset& data, const std::vector<TrainConfig>& configs,
                  const SweepOptions& options, const SweepEvents& events) {
  const std::vector<TrainConfig> grid = without_repeats(configs);
  expect_kind(options.out, FolderKind::kSweep);
  make_folder(SweepFolder{options.out}.runs());
  const FileLock lock(
      options.out / fmt::format("{}{}-of-{}", kShardLock, options.shard + 1, options.shards),
      options.out.string());

  std::vector<size_t> mine;
  for (size_t i = options.shard; i < grid.size(); i += options.shards) mine.push_back(i);
  std::mutex mutex;
  size_t done = 0;
  std::vector<std::optional<SweepRun>> finished(mine.size());
  std::vector<std::string> errors(mine.size());
  parallel_for(mine.size(), options.jobs, [&](size_t i) {
    const TrainConfig& config = grid[mine[i]];
    RunOptions run;
    run.out = options.out / run_folder_name(config);
    run.existing = options.overwrite ? Existing::kOverwrite : Existing::kResume;
    run.threads = options.threads;
    run.checkpoint_every = options.checkpoint_every;
    run.make_image_model = options.make_image_model;
    RunEvents run_events;
    run_events.stop_requested = events.stop_requested;
    try {
      RunRecord record = run_training(data, config, run, run_events);
      const std::lock_guard guard(mutex);
      finished[i] = SweepRun{run_folder_name(config), config, std::move(record)};
      ++done;
      if (events.run_done) events.run_done(*finished[i], done, mine.size());
    } catch (const Error& error) {
      if (error.kind() == Error::Kind::kInterrupted) throw;
      errors[i] = error.what();
    }
  });
  if (events.stop_requested && events.stop_requested()) {
    throw Error(
        fmt::format("stopped; run the same command again to continue {}", options.out.string()),
        Error::Kind::kInterrupted);
  }

  GridRuns runs;
  for (size_t i = 0; i < mine.size(); ++i) {
    if (finished[i]) runs.finished.push_back(std::move(*finished[i]));
    if (!errors[i].empty()) runs.failed.push_back({run_name(grid[mine[i]]), errors[i]});
  }
  return runs;
}

SweepSummary run_sweep(const Dataset& data, const std::vector<TrainConfig>& configs,
                       const SweepOptions& options, const SweepEvents& events) {
  const auto start = std::chrono::steady_clock::now();
  GridRuns runs = run_grid(data, configs, options, events);
  const std::vector<TrainConfig> grid = without_repeats(configs);
  const SweepFolder folder{options.out};
  // One process at a time looks for finished runs and writes what it found: the last of several
  // shards then has seen them all.
  const FileLock lock(folder.summary_lock(), options.out.string(), FileLock::kWait);
  const std::vector<SweepRun> finished = all_finished(grid, std::move(runs.finished), options.out);
  std::string lines;
  for (const SweepRun& run : finished) lines += record_text(run) + "\n";
  write_file(folder.results(), lines);
  SweepSummary summary;
  summary.runs = finished.size();
  summary.best = best_per_loss(finished, grid);
  summary.failed = std::move(runs.failed);
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  write_file(folder.best(), json_text(summary));
  return summary;
}

void check_complete(const std::vector<FailedRun>& failed) {
  if (failed.empty()) return;
  fail("a run failed, the others are done: {}: {}", failed.front().run, failed.front().error);
}

std::string json_text(const SweepSummary& summary) { return record_text(summary, 2) + "\n"; }

SweepSummary read_sweep_summary(const Path& file) { return read_record<SweepSummary>(file); }

std::vector<std::string> read_sweep_runs(const Path& file) {
  std::vector<std::string> names;
  for (const SweepRun& run : read_record_lines<SweepRun>(file)) names.push_back(run.run);
  return names;
}

}  // namespace spml
