// One experiment on one data set: trains what is missing and adds the numbers to its rows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reproduce/cells.h"
#include "reproduce/experiment_result.h"
#include "reproduce/reproduce_options.h"

namespace spml {

class OnDataset {
 public:
  // Opens the data. `earlier` has the results of other experiments in the same folder. Everything
  // must outlive this object.
  OnDataset(const Experiment& experiment, const ReproduceOptions& options,
            const SweepEvents& events, Mode mode, const NamedData& named,
            const Reproduction& earlier);

  void add_to(std::vector<ResultRow>& rows);

 private:
  struct Choice {
    Winner winner;
    std::vector<const SweepRun*> runs, chosen;  // all candidates', the chosen seeds'
  };

  Dataset open() const;
  TrainConfig config(const ExperimentRow& row) const;
  std::optional<Grid> settings_in_results(const Experiment& source, const ExperimentRow& row) const;
  Grid grid_of(const ExperimentRow& row);
  std::vector<Cell> cells();
  void train(const std::vector<Cell>& cells);
  Choice choose(const Cell& cell) const;
  ResultPoint point(const Cell& cell, const Choice& choice) const;
  void add_cell(const Cell& cell, ResultRow& row) const;

  const Experiment& experiment_;
  const ReproduceOptions& options_;
  const SweepEvents& events_;
  Mode mode_;
  const NamedData& named_;
  const Reproduction& earlier_;
  int jobs_, threads_;  // runs at the same time, and the threads of each
  Dataset data_;
  std::map<std::string, SweepRun> runs_;  // by run_name()
};

}  // namespace spml
