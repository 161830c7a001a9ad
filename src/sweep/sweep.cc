#include "sweep/sweep.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>

#include "base/clock.h"
#include "base/fail.h"
#include "base/folders.h"
#include "base/leftovers.h"
#include "cluster/deal.h"
#include "fit/observed_k.h"
#include "formats/written_record.h"
#include "run/folder_kind.h"
#include "settings/config_json.h"
#include "settings/config_words.h"
#include "settings/settings.h"
#include "sweep/sweep_fields.h"

namespace spml {
namespace {

[[noreturn]] void fail_stopped() {
  throw Error("stopped; give the same command again to go on", Error::Kind::kInterrupted);
}

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

// Tells of a file that cannot be read. What others left there does not end a sweep whose own runs
// are done.
void skip(const Error& error, const SweepEvents& events) {
  if (events.notice) events.notice(fmt::format("left out: {}", error.what()));
}

// Nothing where it is not finished, or another process does it again.
std::optional<RunRecord> read_finished(const Path& path) {
  const Path result = RunFolder{path}.result();
  if (!path_exists(result)) return std::nullopt;
  try {
    return read_run(path);
  } catch (const Error&) {
    if (path_exists(result)) throw;
    return std::nullopt;
  }
}

// The finished runs of the grid in its order: those of this process, and what the others have left.
std::vector<SweepRun> all_finished(const std::vector<TrainConfig>& grid, std::vector<SweepRun> mine,
                                   const Path& out, const SweepEvents& events) {
  std::vector<SweepRun> runs;
  for (const TrainConfig& config : grid) {
    const std::string name = run_folder_name(config);
    const auto found = std::ranges::find(mine, name, &SweepRun::run);
    if (found != mine.end()) {
      runs.push_back(std::move(*found));
      continue;
    }
    try {
      if (auto record = read_finished(out / name)) {
        runs.push_back({name, config, std::move(*record)});
      }
    } catch (const Error& error) {
      skip(error, events);
    }
  }
  return runs;
}

// As it was asked for: folders are named after that, and config.json has k filled in.
TrainConfig config_of(const std::string& folder_name, const TrainConfig& resolved) {
  TrainConfig asked = resolved;
  asked.k.reset();
  return run_folder_name(asked) == folder_name ? asked : resolved;
}

// The runs that a list names, as far as it can be read.
std::vector<std::string> listed_runs(const Path& list, const SweepEvents& events) {
  std::vector<std::string> names;
  if (!path_exists(list)) return names;
  std::istringstream in;
  try {
    in.str(read_file(list, kMaxRecordBytes));
  } catch (const Error& error) {
    skip(error, events);
  }
  bool told = false;  // once is enough for a file of garbage
  size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    try {
      const std::string where = fmt::format("{}:{}", list.string(), ++number);
      if (!line.empty()) names.push_back(parse_record<SweepRun>(line, where).run);
    } catch (const Error& error) {
      if (!told) skip(error, events);
      told = true;
    }
  }
  return names;
}

// What other grids have left on the same data, in the order of the list that they wrote.
void add_earlier(std::vector<SweepRun>& runs, const SweepFolder& folder, const Dataset& data,
                 const SweepEvents& events) {
  std::set<std::string> names;
  for (const SweepRun& run : runs) names.insert(run.run);
  const std::string of_data = fingerprint(data);
  for (const std::string& name : listed_runs(folder.results(), events)) {
    if (!names.insert(name).second) continue;
    try {
      auto record = read_finished(run_inside(folder.path, name, folder.results()));
      if (!record || record->setup.identity.data_fingerprint != of_data) continue;
      const TrainConfig config = config_of(name, record->setup.identity.config);
      runs.push_back({name, config, std::move(*record)});
    } catch (const Error& error) {
      skip(error, events);
    }
  }
}

// What has to agree for two runs' validation MAP to compare: all but the loss, what belongs to it
// (its parameters, k and the estimator of its label estimates) and how it is trained.
std::string validation_key(const TrainConfig& config) {
  TrainConfig any = config;
  for (const Setting& setting : all_settings()) {
    if (!setting.validates) copy_setting(setting, TrainConfig(), any);
  }
  any.loss = "an";  // which has no estimates
  return record_text(any);
}

// The runs of which best.json names the best: their validation is that of some run of the grid.
std::vector<SweepRun> comparable(std::vector<SweepRun> runs, const std::vector<TrainConfig>& grid) {
  std::set<std::string> keys;
  for (const TrainConfig& config : grid) keys.insert(validation_key(config));
  std::erase_if(runs,
                [&](const SweepRun& run) { return !keys.contains(validation_key(run.config)); });
  return runs;
}

std::string described(const std::string& name, const std::string& folder,
                      const std::string& of_data) {
  return fmt::format("'{}' ({}data_fingerprint {})", name, folder.empty() ? "" : folder + ", ",
                     of_data);
}

// Error when all the runs that can be read are on other data: their results would be lost.
void expect_same_data(const SweepFolder& folder, const Dataset& data) {
  if (!is_folder(folder.runs())) return;
  const std::string of_data = fingerprint(data);
  std::optional<RunSetup> other;
  for (const Path& run : list_folder(folder.runs())) {
    try {
      RunSetup setup = read_run_setup(RunFolder{run}.config());
      if (setup.identity.data_fingerprint == of_data) return;
      if (!other) other = std::move(setup);
    } catch (const Error&) {  // not begun, or damaged
    }
  }
  if (!other) return;
  const std::string mine = data.folder.empty() ? "" : absolute_path(data.folder).string();
  fail("{}: the runs there are on {}, but {} was given; choose another --out, or give --overwrite",
       folder.path.string(),
       described(other->data_name, other->data, other->identity.data_fingerprint),
       described(data.name, mine, of_data));
}

// What ranks that share a grid must have in common.
std::string grid_text(const Dataset& data, const std::vector<TrainConfig>& grid) {
  std::string names;
  for (const TrainConfig& config : grid) names += run_name(config) + " ";
  return fmt::format("{} runs {:08x} on data {}", grid.size(), short_hash(names),
                     fingerprint(data));
}

}  // namespace

std::string run_name(const TrainConfig& config) {
  return fmt::format("{}-lr{:g}-b{}-s{}-{:08x}", config.loss, config.learning_rate(), config.batch,
                     config.seed, short_hash(record_text(config)));
}

namespace {

// The runs of a grid by this process: those it is told to do, in any order and by several threads.
class GridWork {
 public:
  GridWork(const Dataset& data, const std::vector<TrainConfig>& grid, const SweepOptions& options,
           const SweepEvents& events, size_t total)
      : data_(data),
        grid_(grid),
        options_(options),
        events_(events),
        total_(total),
        finished_(grid.size()),
        errors_(grid.size()) {}

  void run(size_t i) {
    const TrainConfig& config = grid_[i];
    RunOptions run;
    run.out = options_.out / run_folder_name(config);
    run.existing = options_.overwrite ? Existing::kOverwrite : Existing::kResume;
    run.threads = options_.threads;
    run.checkpoint_every = options_.checkpoint_every;
    run.make_image_model = options_.make_image_model;
    run.linear_starts = options_.linear_starts;
    run.estimated_k = [this] { return estimated_k(); };
    RunEvents run_events;
    run_events.stop_requested = events_.stop_requested;
    try {
      make_folder_inside(run.out);
      RunRecord record = run_training(data_, config, run, run_events);
      const std::lock_guard guard(mutex_);
      finished_[i] = SweepRun{run_folder_name(config), config, std::move(record)};
      ++done_;
      if (events_.run_done) events_.run_done(*finished_[i], done_, total_);
    } catch (const Error& error) {
      if (error.kind() == Error::Kind::kInterrupted) fail_stopped();
      errors_[i] = error.what();
    }
  }

  // Takes over what the others have done: what failed they say, the rest is in the folder.
  void join(Cluster& cluster) {
    std::string mine;
    for (size_t i = 0; i < grid_.size(); ++i) {
      if (!errors_[i].empty()) mine += fmt::format("{} {}", i, errors_[i]) + '\0';
    }
    cluster.wait_for_all();
    for (const Bytes& bytes : cluster.all_gather(std::as_bytes(std::span(mine)))) {
      std::istringstream in({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      size_t i = 0;
      for (std::string error; in >> i && in.get() && std::getline(in, error, '\0');) {
        if (i < grid_.size()) errors_[i] = error;
      }
    }
    for (size_t i = 0; i < grid_.size(); ++i) {
      if (finished_[i] || !errors_[i].empty()) continue;
      const std::string name = run_folder_name(grid_[i]);
      finished_[i] = SweepRun{name, grid_[i], read_run(options_.out / name)};
    }
  }

  GridRuns take() {
    GridRuns runs;
    for (size_t i = 0; i < grid_.size(); ++i) {
      if (finished_[i]) runs.finished.push_back(std::move(*finished_[i]));
      if (!errors_[i].empty()) runs.failed.push_back({run_name(grid_[i]), errors_[i]});
    }
    return runs;
  }

 private:
  // Once for the sweep, when a run first asks: of the settings that a sweep takes lists of it has
  // the defaults, so that no run's k depends on which others there are.
  double estimated_k() {
    std::call_once(k_once_, [this] {
      TrainConfig config = grid_.front();
      for (const Setting& setting : all_settings()) {
        if (setting.axis > 0) copy_setting(setting, TrainConfig(), config);
      }
      RunEvents events;
      events.stop_requested = events_.stop_requested;
      events.notice = [this](const std::string& text) {
        const std::lock_guard guard(mutex_);
        if (events_.notice) events_.notice(text);
      };
      k_ = with_estimated_k(data_, config, options_.jobs * options_.threads, events).k.value();
    });
    return k_;
  }

  const Dataset& data_;
  const std::vector<TrainConfig>& grid_;
  const SweepOptions& options_;
  const SweepEvents& events_;
  size_t total_, done_ = 0;
  std::mutex mutex_;
  std::vector<std::optional<SweepRun>> finished_;
  std::vector<std::string> errors_;
  std::once_flag k_once_;
  double k_ = 0;
};

}  // namespace

namespace {

void expect_folder(const SweepOptions& options) {
  const auto expect = options.beside_others ? expect_kind : expect_own_folder;
  expect(options.out, FolderKind::kSweep);
}

}  // namespace

GridRuns run_grid(const Dataset& data, const std::vector<TrainConfig>& configs,
                  const SweepOptions& options, const SweepEvents& events) {
  const std::vector<TrainConfig> grid = without_repeats(configs);
  Cluster* const cluster = options.cluster;
  std::optional<FileLock> lock;
  if (is_first_of(cluster)) {
    expect_folder(options);
    make_folder_inside(SweepFolder{options.out}.runs());
    lock.emplace(
        options.out / fmt::format("{}{}-of-{}", kShardLock, options.shard + 1, options.shards),
        options.out.string());
  }

  std::vector<size_t> mine;
  for (size_t i = options.shard; i < grid.size(); i += options.shards) mine.push_back(i);
  GridWork work(data, grid, options, events, mine.size());
  if (cluster != nullptr) expect_same(*cluster, "grid", grid_text(data, grid));
  deal_out(cluster, mine.size(), options.jobs, [&](size_t i) { work.run(mine[i]); });
  if (events.stop_requested && events.stop_requested()) fail_stopped();
  if (cluster != nullptr) work.join(*cluster);
  return work.take();
}

SweepSummary run_sweep(const Dataset& data, const std::vector<TrainConfig>& configs,
                       const SweepOptions& options, const SweepEvents& events) {
  const SweepFolder folder{options.out};
  const bool is_first = is_first_of(options.cluster);
  if (is_first && !options.overwrite) {
    expect_folder(options);
    expect_same_data(folder, data);
  }
  GridRuns runs = run_grid(data, configs, options, events);
  const std::vector<TrainConfig> grid = without_repeats(configs);
  SweepSummary summary;
  if (!is_first) {  // rank 0 writes it down
    summary.runs = runs.finished.size();
    summary.best = best_per_loss(runs.finished, grid);
    summary.failed = std::move(runs.failed);
    return summary;
  }
  // One process at a time looks for finished runs and writes what it found: the last of several
  // shards then has seen them all.
  const FileLock lock(folder.summary_lock(), options.out.string(), FileLock::kWait);
  remove_leftovers(folder.path, [&](std::string_view name) {
    return name == folder.results().filename() || name == folder.best().filename();
  });
  std::vector<SweepRun> finished =
      all_finished(grid, std::move(runs.finished), options.out, events);
  if (options.keep_earlier && !options.overwrite) add_earlier(finished, folder, data, events);
  std::string lines;
  for (const SweepRun& run : finished) lines += record_text(run) + "\n";
  write_file(folder.results(), lines);
  summary.runs = finished.size();
  summary.best = best_per_loss(comparable(std::move(finished), grid), grid);
  summary.failed = std::move(runs.failed);
  summary.seconds = seconds_since(options.start);
  write_file(folder.best(), json_text(summary));
  return summary;
}

void check_complete(const std::vector<FailedRun>& failed) {
  if (failed.empty()) return;
  fail("a run failed, the others are done: {}: {}", failed.front().run, failed.front().error);
}

std::string json_text(const SweepSummary& summary) {
  return written_record(summary, "best.json", 2) + "\n";
}

SweepSummary read_sweep_summary(const Path& file) { return read_record<SweepSummary>(file); }

std::vector<std::string> read_sweep_runs(const Path& file) {
  std::vector<std::string> names;
  for (const SweepRun& run : read_record_lines<SweepRun>(file)) names.push_back(run.run);
  return names;
}

}  // namespace spml
