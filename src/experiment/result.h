// What a finished run reports: the fields of result.json.
#pragma once

#include <optional>
#include <vector>

#include "experiment/config.h"

namespace spml {

struct RunResult {
  TrainConfig config;
  std::optional<double> k;
  LossParameters params;  // every parameter of the loss, resolved
  int best_epoch = 0;
  double val_map = 0;
  std::optional<double> test_map, test_map_nonempty, train_map;
  std::vector<double> per_class_ap;  // on the test rows, in percent; empty without them
  uint64_t steps = 0, resumed_from_step = 0;
  double train_seconds = 0, seconds = 0;
};

Json to_json(const RunResult& result);

}  // namespace spml
