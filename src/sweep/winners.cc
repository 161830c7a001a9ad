#include "sweep/winners.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "formats/json_fields.h"
#include "settings/config_json.h"

namespace spml {
namespace {

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Sample standard deviation.
double deviation_of(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

// The runs of a configuration, by position.
using Group = std::vector<size_t>;

double mean_val_map(std::span<const SweepRun> runs, const Group& group) {
  std::vector<double> values;
  for (const size_t i : group) values.push_back(runs[i].record.result.val_map);
  return mean_of(values);
}

void summarise(std::span<const SweepRun> runs, const Group& group,
               std::optional<double> RunResult::*field, std::optional<double>& mean,
               std::optional<double>& deviation) {
  std::vector<double> values;
  for (const size_t i : group) {
    const std::optional<double>& value = runs[i].record.result.*field;
    if (!value) return;
    values.push_back(*value);
  }
  mean = mean_of(values);
  deviation = deviation_of(values);
}

Winner winner_of(std::span<const SweepRun> runs, const Group& group) {
  const SweepRun& first = runs[group.front()];
  Winner winner;
  winner.result = first.record.result;
  winner.run = first.run;
  winner.members = group;
  if (group.size() == 1) return winner;
  winner.val_map_mean = mean_val_map(runs, group);
  summarise(runs, group, &RunResult::test_map, winner.test_map_mean, winner.test_map_std);
  summarise(runs, group, &RunResult::train_map, winner.train_map_mean, winner.train_map_std);
  for (const size_t i : group) winner.seeds.push_back(runs[i].config.seed);
  return winner;
}

std::vector<uint64_t> missing_seeds(std::span<const SweepRun> runs, const Group& group,
                                    std::span<const TrainConfig> grid) {
  const std::string key = settings_key(runs[group.front()].config);
  std::vector<uint64_t> missing;
  for (const TrainConfig& config : grid) {
    const bool done =
        std::ranges::any_of(group, [&](size_t i) { return runs[i].config.seed == config.seed; });
    const bool listed = std::ranges::find(missing, config.seed) != missing.end();
    if (!done && !listed && settings_key(config) == key) missing.push_back(config.seed);
  }
  return missing;
}

}  // namespace

std::string settings_key(const TrainConfig& config) {
  TrainConfig any_seed = config;
  any_seed.seed = 0;
  return record_text(any_seed);
}

NamedList<Winner> best_per_loss(std::span<const SweepRun> runs, std::span<const TrainConfig> grid) {
  std::map<std::string, Group> groups;
  std::vector<const Group*> in_order;
  for (size_t i = 0; i < runs.size(); ++i) {
    Group& group = groups[settings_key(runs[i].config)];
    if (group.empty()) in_order.push_back(&group);
    group.push_back(i);
  }
  NamedList<const Group*> best;
  for (const Group* group : in_order) {
    const Group*& winner = best[runs[group->front()].config.loss];
    if (winner == nullptr || mean_val_map(runs, *group) > mean_val_map(runs, *winner)) {
      winner = group;
    }
  }
  NamedList<Winner> winners;
  for (const auto& [loss, group] : best) {
    Winner& winner = winners[loss] = winner_of(runs, *group);
    winner.seeds_missing = missing_seeds(runs, *group, grid);
  }
  return winners;
}

std::vector<int> best_and_second(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](size_t i) { return values[i]; });
  std::vector<int> ranks(values.size(), 0);
  for (size_t i = 0; i < std::min<size_t>(2, order.size()); ++i) {
    ranks[order[i]] = static_cast<int>(i) + 1;
  }
  return ranks;
}

}  // namespace spml
