// One experiment on one data set: the runs it needs, and what comes of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiment/reproduce.h"

namespace spml {

// The parameters of a row as results.json has them: numbers, or "L".
Json params_of(const ExperimentRow& row);

class OnData {
 public:
  OnData(const Experiment& experiment, const ReproduceOptions& options, const SweepEvents& events,
         Mode mode, const NamedData& named, const Json& earlier)
      : experiment_(experiment),
        options_(options),
        events_(events),
        mode_(mode),
        named_(named),
        earlier_(earlier),
        data_(open()) {}

  // Adds this data set's numbers to the rows of the results; the number of runs.
  size_t add_to(Json& rows);

 private:
  // Runs among which validation chooses, for a row at one value of what varies.
  struct Cell {
    const ExperimentRow* row = nullptr;
    std::optional<double> x;  // nothing: as the data set says
    std::vector<TrainConfig> candidates;
  };

  struct Choice {
    Json winner;                            // result of the chosen configuration, as in best.json
    std::vector<std::string> runs, chosen;  // folders below OUT: all candidates', the chosen seeds'
  };

  // lr and batch, when they are known beforehand.
  struct Grid {
    std::vector<double> lr;
    std::vector<size_t> batch;
  };

  Dataset open() const;
  bool shown(const ExperimentRow& row) const { return !row.only || *row.only == mode_; }
  int seeds() const { return options_.seeds.value_or(experiment_.seeds); }
  TrainConfig config(const ExperimentRow& row) const;
  std::vector<TrainConfig> candidates(const TrainConfig& base, const Grid& grid,
                                      int seed_count) const;
  std::vector<std::optional<double>> x_values() const;
  void vary(TrainConfig& config, double x) const;
  std::optional<Grid> settings_in_results(const Experiment& source, const ExperimentRow& row) const;
  Grid grid_of(const ExperimentRow& row);
  std::vector<Cell> cells();
  void train(const std::vector<Cell>& cells);
  Choice choose(const Cell& cell) const;
  Json point(const Cell& cell, const Choice& choice) const;
  Json histograms(const Choice& choice) const;

  const Experiment& experiment_;
  const ReproduceOptions& options_;
  const SweepEvents& events_;
  Mode mode_;
  const NamedData& named_;
  const Json& earlier_;
  Dataset data_;
  std::map<std::string, Json> results_;  // by run_name()
};

}  // namespace spml
