// What a run reports: the fields of result.json, and of metrics.jsonl for each epoch.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "spml/loss.h"
#include "spml/settings.h"

namespace spml {

struct EpochRecord {
  int epoch = 0;  // from 1
  double train_loss = 0;
  double val_map = 0;
  double khat = 0;                       // of the classifier, on the validation rows
  std::optional<double> khat_estimates;  // of the label estimates, on the training rows
  double seconds = 0;
  std::vector<uint32_t> unobserved_positives;  // histogram over [0, 1], when it is recorded
};

// MAP is in percent. What needs labels or rows that were not there has no value.
struct TrainingResult : ClassifierSettings {
  std::string loss, mode;
  double lr = 0;
  size_t batch = 0;
  int epochs = 0;  // planned
  uint64_t seed = 0;
  std::optional<double> k;
  LossParameters params;  // every parameter of the loss, given or default
  std::string transform;  // of the features; "" where the run folder does not say
  int best_epoch = 0;     // from 1
  double val_map = 0;     // of that epoch
  std::optional<double> test_map, train_map, test_map_nonempty;
  std::vector<double> per_class_ap;  // on the test rows
  uint64_t steps = 0, resumed_from_step = 0;
  double train_seconds = 0, seconds = 0;
  std::vector<EpochRecord> history;  // an entry for each epoch done
};

}  // namespace spml
