// The configurations an experiment trains on a data set: for each number shown, the runs that
// validation chooses among.
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

// A row at one value of the varied setting.
struct Cell {
  const ExperimentRow* row = nullptr;
  std::optional<double> x;  // nothing: as the data set says
  std::vector<TrainConfig> candidates;
};

// The values of the varied setting, or a single empty one. When k varies, an empty one is added for
// comparison: the true k.
std::vector<std::optional<double>> x_values(const Experiment& experiment, const Dataset& data,
                                            int threads);

// The configuration of a row, apart from the grid.
TrainConfig row_config(const Experiment& experiment, const ExperimentRow& row, Mode mode,
                       const ImageConfig& image, size_t labels);

// Sets the varied setting.
void vary(TrainConfig& config, const Variation& variation, double x);

// Every point of the grid with seeds 0 ... n-1.
std::vector<TrainConfig> candidates(const TrainConfig& base, const Grid& grid, int seeds);

}  // namespace spml
