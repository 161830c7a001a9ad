// What an experiment trains on a data set, as configurations: which runs validation chooses among
// for each number that is shown.
#pragma once

#include <optional>
#include <vector>

#include "reproduce/definition.h"

namespace spml {

// Learning rates and batch sizes to try.
struct Grid {
  std::vector<double> lr;
  std::vector<size_t> batch;
};

// A row at one value of what varies.
struct Cell {
  const ExperimentRow* row = nullptr;
  std::optional<double> x;  // nothing: as the data set says
  std::vector<TrainConfig> candidates;
};

// The values of what varies, or one that is nothing. With k varied also the true one, as nothing,
// to compare with.
std::vector<std::optional<double>> x_values(const Experiment& experiment, const Dataset& data,
                                            int threads);

// The configuration of a row, apart from the grid.
TrainConfig row_config(const Experiment& experiment, const ExperimentRow& row, Mode mode,
                       const ImageConfig& image, size_t labels);

// Sets what varies.
void vary(TrainConfig& config, const Variation& variation, double x);

// Every point of the grid with seeds 0 ... n-1.
std::vector<TrainConfig> candidates(const TrainConfig& base, const Grid& grid, int seeds);

}  // namespace spml
