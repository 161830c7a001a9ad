// What came of training: the contents of result.json (run/run_record_fields.h has its keys).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "decide/calibration.h"
#include "decide/quality.h"
#include "settings/config.h"

namespace spml {

struct RunResult {
  std::string loss;
  Mode mode = Mode::kLinear;
  double lr = 0;
  size_t batch = 0;
  int epochs = 0;
  uint64_t seed = 0;
  std::optional<double> k;
  std::string k_from;     // flag, dataset.json, truth or observed
  LossParameters params;  // every parameter of the loss, resolved
  // What the table marks as in_result; nothing in files of versions that did not say.
  std::optional<TrainConfig> settings;
  int best_epoch = 0;
  double val_map = 0;                                            // MAP in percent
  std::optional<double> test_map, train_map, test_map_nonempty;  // nothing without truth
  std::vector<double> per_class_ap;          // on the test rows, in percent; empty without them
  std::string selected_on, thresholds_from;  // labels: clean or observed
  // Of the calibrated probabilities on the test rows; nothing without their truth.
  std::optional<double> ece;
  std::vector<ReliabilityBin> reliability;
  std::optional<ExpectedQuality> expected;  // where no truth is needed: on held-out rows
  bool refit = false;  // trained once more on train and val, after val had chosen
  uint64_t steps = 0, resumed_from_step = 0;
  double train_seconds = 0, seconds = 0;
};

}  // namespace spml
