#include "experiment/sweep.h"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>

#include "base/fail.h"
#include "base/parallel.h"

namespace spml {
namespace {

// FNV-1a: tells configurations apart in folder names.
uint32_t short_hash(std::string_view text) {
  uint32_t hash = 2166136261u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

// The configuration of a result without its seed: runs that are averaged.
std::string group_of(const Json& result) {
  Json key = result.contains("config") ? result["config"] : result;
  key.erase("seed");
  return key.dump();
}

double mean_of(const std::vector<const Json*>& results, const char* field) {
  double sum = 0;
  for (const Json* result : results) sum += result->at(field).get<double>();
  return sum / static_cast<double>(results.size());
}

// Sample standard deviation.
double deviation_of(const std::vector<const Json*>& results, const char* field) {
  if (results.size() < 2) return 0;
  const double mean = mean_of(results, field);
  double squares = 0;
  for (const Json* result : results) {
    const double difference = result->at(field).get<double>() - mean;
    squares += difference * difference;
  }
  return std::sqrt(squares / static_cast<double>(results.size() - 1));
}

// The winner's own fields are those of its first seed.
Json summarise_group(const std::vector<const Json*>& group) {
  Json winner = *group.front();
  winner.erase("config");
  if (group.size() == 1) return winner;
  winner["val_map_mean"] = mean_of(group, "val_map");
  for (const char* field : {"test_map", "train_map"}) {
    if (group.front()->at(field).is_null()) continue;
    winner[std::string(field) + "_mean"] = mean_of(group, field);
    winner[std::string(field) + "_std"] = deviation_of(group, field);
  }
  winner["seeds"] = Json::array();
  for (const Json* result : group) winner["seeds"].push_back(result->at("seed"));
  return winner;
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

}  // namespace

std::string run_name(const TrainConfig& config) {
  return fmt::format("{}-lr{:g}-b{}-s{}-{:08x}", config.loss, config.learning_rate(), config.batch,
                     config.seed, short_hash(to_json(config).dump()));
}

Json best_per_loss(const std::vector<Json>& results) {
  std::map<std::string, std::vector<const Json*>> groups;
  std::vector<std::string> group_order, loss_order;
  for (const Json& result : results) {
    auto& group = groups[group_of(result)];
    if (group.empty()) group_order.push_back(group_of(result));
    group.push_back(&result);
  }
  std::map<std::string, const std::vector<const Json*>*> best;
  for (const std::string& key : group_order) {
    const auto& group = groups[key];
    const std::string loss = group.front()->at("loss");
    const auto*& winner = best[loss];
    if (winner == nullptr) loss_order.push_back(loss);
    if (winner == nullptr || mean_of(group, "val_map") > mean_of(*winner, "val_map")) {
      winner = &group;
    }
  }
  Json json = Json::object();
  for (const std::string& loss : loss_order) json[loss] = summarise_group(*best[loss]);
  return json;
}

GridRuns run_grid(const Dataset& data, const std::vector<TrainConfig>& configs,
                  const SweepOptions& options, const SweepEvents& events) {
  const std::vector<TrainConfig> grid = without_repeats(configs);
  make_folder(options.out / "runs");
  const FileLock lock(
      options.out / fmt::format(".lock-{}-of-{}", options.shard + 1, options.shards),
      options.out.string());

  std::vector<size_t> mine;
  for (size_t i = options.shard; i < grid.size(); i += options.shards) mine.push_back(i);
  std::mutex mutex;
  size_t done = 0;
  GridRuns runs;
  parallel_for(mine.size(), options.jobs, [&](size_t i) {
    const TrainConfig& config = grid[mine[i]];
    RunOptions run;
    run.out = options.out / "runs" / run_name(config);
    run.existing = options.overwrite ? Existing::kOverwrite : Existing::kResume;
    run.threads = options.threads;
    run.checkpoint_every = options.checkpoint_every;
    run.make_image_model = options.make_image_model;
    RunEvents run_events;
    run_events.stop_requested = events.stop_requested;
    try {
      const Json result = run_training(data, config, run, run_events);
      const std::lock_guard guard(mutex);
      ++done;
      if (events.run_done) events.run_done(result, done, mine.size());
    } catch (const Error& error) {
      if (error.kind() == Error::Kind::kInterrupted) throw;
      const std::lock_guard guard(mutex);
      if (runs.first_failure.empty()) {
        runs.first_failure = fmt::format("{}: {}", run_name(config), error.what());
      }
    }
  });
  if (events.stop_requested && events.stop_requested()) {
    throw Error(
        fmt::format("stopped; the same command goes on where {} stands", options.out.string()),
        Error::Kind::kInterrupted);
  }

  for (const TrainConfig& config : grid) {
    const RunFolder folder{options.out / "runs" / run_name(config)};
    if (!std::filesystem::exists(folder.result())) continue;  // another shard's, or failed
    Json result = Json::parse(read_file(folder.result()));
    result["run"] = "runs/" + run_name(config);
    result["config"] = to_json(config);
    runs.results.push_back(std::move(result));
  }
  return runs;
}

Json run_sweep(const Dataset& data, const std::vector<TrainConfig>& grid,
               const SweepOptions& options, const SweepEvents& events) {
  const auto start = std::chrono::steady_clock::now();
  const GridRuns runs = run_grid(data, grid, options, events);
  std::string lines;
  for (Json line : runs.results) {
    line.erase("config");
    lines += line.dump() + "\n";
  }
  write_file(options.out / "results.jsonl", lines);
  Json summary;
  summary["runs"] = runs.results.size();
  summary["best"] = best_per_loss(runs.results);
  summary["seconds"] =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  write_file(options.out / "best.json", summary.dump(2) + "\n");
  if (!runs.first_failure.empty()) {
    fail("a run failed, the others are done: {}", runs.first_failure);
  }
  return summary;
}

}  // namespace spml
