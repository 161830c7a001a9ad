// What stands behind a LinearClassifier. Nothing in it changes once it is made.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fit/fit.h"
#include "linear/linear_model.h"
#include "run/run.h"
#include "spml/linear.h"

namespace spml {

struct ClassifierState {
  std::unique_ptr<const LinearModel> model;
  std::vector<std::string> classes;
  Calibration calibration;        // from logits to probabilities
  std::vector<float> thresholds;  // of those
  RunRecord record;               // of its run; without epochs and loss when it was made from parts
  TrainingResult result;          // the same for users
};

// Of a session that is done, with its model or that of its refit.
std::shared_ptr<ClassifierState> state_of(Session& session, const LinearModel& model, Fit made,
                                          std::optional<SearchRequest> search);

}  // namespace spml
