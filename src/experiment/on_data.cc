#include "experiment/on_data.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "base/fail.h"
#include "experiment/run_folder.h"
#include "experiment/statistics.h"

namespace spml {

using Row = ExperimentRow;

Json params_of(const Row& row) {
  Json params = Json::object();
  for (const auto& [name, value] : row.params) params[name] = value ? Json(*value) : Json("L");
  return params;
}

Dataset OnData::open() const {
  const auto trains_on_features = [&](const Row& row) {
    return !row.loss.empty() && shown(row) && row.mode.value_or(mode_) != Mode::kFinetune;
  };
  DatasetOptions options;
  options.need_features = options.load_features =
      std::ranges::any_of(experiment_.rows, trains_on_features);
  options.threads = options_.jobs * options_.threads;
  return open_dataset(named_.folder, options);
}

TrainConfig OnData::config(const Row& row) const {
  TrainConfig config = experiment_.settings;
  config.loss = row.loss;
  config.mode = row.mode.value_or(mode_);
  config.image = options_.image;
  for (const auto& [name, value] : row.params) {
    config.params[name] = value.value_or(static_cast<double>(data_.labels()));
  }
  return config;
}

std::vector<TrainConfig> OnData::candidates(const TrainConfig& base, const Grid& grid,
                                            int seed_count) const {
  std::vector<TrainConfig> configs;
  for (const double lr : grid.lr) {
    for (const size_t batch : grid.batch) {
      for (int seed = 0; seed < seed_count; ++seed) {
        configs.push_back(base);
        configs.back().lr = lr;
        configs.back().batch = batch;
        configs.back().seed = static_cast<uint64_t>(seed);
      }
    }
  }
  return configs;
}

// With k varied, also the true one, to compare with.
std::vector<std::optional<double>> OnData::x_values() const {
  const Variation& vary = experiment_.vary;
  if (vary.name.empty()) return {std::nullopt};
  std::vector<double> given = vary.values;
  if (vary.count > 0) {
    given = k_values(data_, vary.labelled_rows, vary.count, options_.jobs * options_.threads);
  }
  std::vector<std::optional<double>> values(given.begin(), given.end());
  if (vary.name == "k") values.push_back(std::nullopt);
  return values;
}

void OnData::vary(TrainConfig& config, double x) const {
  if (experiment_.vary.name == "subsample") {
    config.subsample = x;
  } else if (experiment_.vary.name == "k") {
    config.k = x;
  } else {
    config.params[experiment_.vary.name] = x;
  }
}

// What another experiment in the same folder chose for the same loss on this data set.
std::optional<OnData::Grid> OnData::settings_in_results(const Experiment& source,
                                                        const Row& row) const {
  for (const auto& [key, other] : earlier_["experiments"].items()) {
    if (other.value("experiment", "") != source.name) continue;
    for (const Json& line : other.value("rows", Json::array())) {
      const bool same = line.value("loss", "") == row.loss &&
                        line.value("params", Json()) == params_of(row) &&
                        line.value("mode", "") == to_string(row.mode.value_or(mode_));
      const Json cell = line.value("cells", Json::object()).value(named_.name, Json::object());
      if (same && cell.contains("lr") && cell.contains("batch")) {
        return Grid{{cell["lr"].get<double>()}, {cell["batch"].get<size_t>()}};
      }
    }
  }
  return std::nullopt;
}

// The grid to search for a row, or the settings that a search elsewhere has found.
OnData::Grid OnData::grid_of(const Row& row) {
  if (experiment_.settings_from.empty()) return {experiment_.lr, experiment_.batch};
  const Experiment source = load_experiment(experiment_.settings_from);
  if (auto found = settings_in_results(source, row)) return *found;
  TrainConfig base = config(row);
  base.record_unobserved_positives = false;  // the same runs as those of the source
  const Cell search{&row, {}, candidates(base, {source.lr, source.batch}, source.seeds)};
  train({search});
  const Json winner = choose(search).winner;
  return {{winner["lr"].get<double>()}, {winner["batch"].get<size_t>()}};
}

std::vector<OnData::Cell> OnData::cells() {
  std::vector<Cell> cells;
  const auto values = x_values();
  for (const Row& row : experiment_.rows) {
    if (row.loss.empty() || !shown(row)) continue;
    const Grid grid = grid_of(row);
    for (const auto& x : values) {
      TrainConfig base = config(row);
      if (x) vary(base, *x);
      cells.push_back({&row, x, candidates(base, grid, seeds())});
    }
  }
  return cells;
}

void OnData::train(const std::vector<Cell>& cells) {
  std::vector<TrainConfig> configs;
  for (const Cell& cell : cells) {
    configs.insert(configs.end(), cell.candidates.begin(), cell.candidates.end());
  }
  SweepOptions sweep;
  sweep.out = options_.out / named_.name;
  sweep.jobs = options_.jobs;
  sweep.threads = options_.threads;
  sweep.overwrite = options_.overwrite;
  sweep.make_image_model = options_.make_image_model;
  const GridRuns runs = run_grid(data_, configs, sweep, events_);
  if (!runs.first_failure.empty()) {
    fail("{}: a run failed, the others are done: {}", named_.name, runs.first_failure);
  }
  for (const Json& result : runs.results) {
    results_[Path(result["run"].get<std::string>()).filename().string()] = result;
  }
}

OnData::Choice OnData::choose(const Cell& cell) const {
  std::vector<Json> results;
  for (const TrainConfig& config : cell.candidates)
    results.push_back(results_.at(run_name(config)));
  Choice choice;
  choice.winner = best_per_loss(results).begin().value();
  // The winner is that of its first seed: the other seeds have its settings.
  for (size_t i = 0; i < results.size(); ++i) {
    const std::string run = named_.name + "/" + results[i]["run"].get<std::string>();
    choice.runs.push_back(run);
    if (results[i]["lr"] == choice.winner["lr"] && results[i]["batch"] == choice.winner["batch"]) {
      choice.chosen.push_back(run);
    }
  }
  return choice;
}

Json OnData::point(const Cell& cell, const Choice& choice) const {
  const Json& winner = choice.winner;
  const std::string& metric = experiment_.metric;
  Json point;
  if (experiment_.vary.name == "k" && !cell.x) {
    point["x"] = winner["k"];
  } else if (cell.x) {
    point["x"] = *cell.x;
  }
  point["ours"] = winner.contains(metric + "_mean") ? winner[metric + "_mean"] : winner[metric];
  if (winner.contains(metric + "_std")) point["std"] = winner[metric + "_std"];
  if (experiment_.vary.name == "subsample") {
    const Json config =
        Json::parse(read_file(RunFolder{options_.out / choice.chosen.front()}.config()));
    point["labels_seen"] =
        config["rows"]["train"].get<double>() * labels_seen_per_row(data_, cell.row->loss);
  }
  point["val_map"] = winner.contains("val_map_mean") ? winner["val_map_mean"] : winner["val_map"];
  for (const char* key : {"lr", "batch", "best_epoch"}) point[key] = winner[key];
  return point;
}

// (epochs, bins) counts of the first chosen run.
Json OnData::histograms(const Choice& choice) const {
  Json counts = Json::array();
  std::istringstream lines(read_file(RunFolder{options_.out / choice.chosen.front()}.metrics()));
  for (std::string line; std::getline(lines, line);) {
    counts.push_back(Json::parse(line)["unobserved_positives"]);
  }
  return counts;
}

size_t OnData::add_to(Json& rows) {
  const std::vector<Cell> cells = this->cells();
  if (!cells.empty()) train(cells);
  const std::string& name = named_.name;
  std::map<std::string, Json*> row_of;
  for (Json& row : rows) row_of[row["label"].get<std::string>()] = &row;
  for (const Row& row : experiment_.rows) {
    if (row.statistic.empty() || !shown(row)) continue;
    const double value = label_statistic(data_, row, options_.jobs * options_.threads);
    (*row_of[row.label])["cells"][name]["ours"] = value;
  }
  std::set<std::string> runs;
  for (const Cell& cell : cells) {
    const Choice choice = choose(cell);
    Json& row = *row_of[cell.row->label];
    Json value = point(cell, choice);
    if (experiment_.show == Show::kCurves) {
      if (cell.x) {
        row["curves"][name].push_back(std::move(value));
      } else {
        row["references"][name] = std::move(value);
      }
    } else {
      row["cells"][name].update(value);
    }
    if (experiment_.show == Show::kHeatMaps) row["histograms"][name] = histograms(choice);
    for (const std::string& run : choice.runs) row["runs"][name].push_back(run);
    for (const std::string& run : choice.chosen) row["chosen"][name].push_back(run);
    runs.insert(choice.runs.begin(), choice.runs.end());
  }
  return runs.size();
}

}  // namespace spml
