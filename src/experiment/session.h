// Everything that trains together, made from a data set and a configuration. A run adds a folder
// to it; the library's train functions use it as it is.
#pragma once

#include <memory>

#include "experiment/prepare.h"
#include "train/loop.h"

namespace spml {

class LinearModel;

class Session {
 public:
  // The data must outlive the session; the session stays where it is made, its parts refer to each
  // other.
  Session(const Dataset& data, const TrainConfig& config, int threads);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Dataset& data;
  const TrainConfig config;
  const int threads;
  const Prepared prepared;
  const LossInfo& loss_info;
  const LossParameters params;  // every parameter of the loss, resolved
  const std::unique_ptr<const Loss> loss;
  TrainingLabels labels;
  std::unique_ptr<Model> model;
  const std::unique_ptr<LabelEstimator> estimator;  // null unless the loss uses estimates
  const Evaluator validation;
  Loop loop;

  LossSetup loss_setup() const;
  uint64_t total_steps() const;
  // The trained model, once the loop is done; the session is of no use afterwards.
  std::unique_ptr<LinearModel> take_linear_model();
  // Rows of a part, all of them.
  static std::vector<int32_t> all_rows(const DataPart& part);

 private:
  std::unique_ptr<Model> make_model() const;
  std::unique_ptr<LabelEstimator> make_estimator();
  LoopPlan plan() const;
};

}  // namespace spml
