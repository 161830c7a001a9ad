#include "reproduce/cells.h"

#include "reproduce/counted_rows.h"

namespace spml {

std::vector<std::optional<double>> x_values(const Experiment& experiment, const Dataset& data,
                                            int threads) {
  const Variation& variation = experiment.vary;
  if (variation.name.empty()) return {std::nullopt};
  std::vector<double> given = variation.values;
  if (variation.count > 0) {
    given = k_values(data, variation.labelled_rows, variation.count, threads);
  }
  std::vector<std::optional<double>> values(given.begin(), given.end());
  if (variation.name == "k") values.emplace_back(std::nullopt);
  return values;
}

TrainConfig row_config(const Experiment& experiment, const ExperimentRow& row, Mode mode,
                       const ImageConfig& image, size_t labels) {
  TrainConfig config = experiment.settings;
  config.loss = row.loss;
  config.mode = row.mode.value_or(mode);
  config.image = image;
  for (const auto& [name, value] : row.params) {
    config.params[name] = value.value_or(static_cast<double>(labels));
  }
  return config;
}

void vary(TrainConfig& config, const Variation& variation, double x) {
  if (variation.name == "subsample") {
    config.subsample = x;
  } else if (variation.name == "k") {
    config.k = x;
  } else if (variation.name == "complete") {
    if (!config.observe) config.observe.emplace();
    config.observe->complete = x;
  } else {
    config.params[variation.name] = x;
  }
}

std::vector<TrainConfig> candidates(const TrainConfig& base, const Grid& grid, int seeds) {
  std::vector<TrainConfig> configs;
  for (const double lr : grid.lr) {
    for (const size_t batch : grid.batch) {
      for (int seed = 0; seed < seeds; ++seed) {
        TrainConfig& config = configs.emplace_back(base);
        config.lr = lr;
        config.batch = batch;
        config.seed = static_cast<uint64_t>(seed);
      }
    }
  }
  return configs;
}

}  // namespace spml
