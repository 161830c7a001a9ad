// Everything that trains together, made from a data set and a configuration. A run adds a folder
// to it; the library's train functions use it as it is.
#pragma once

#include <memory>

#include "experiment/linear_start.h"
#include "train/loop.h"

namespace spml {

class LinearModel;

// Makes the model of a run that trains the network itself. `start` is null unless the mode is
// linear-init. Given from outside, because this library knows nothing of images.
using ImageModelMaker = std::function<std::unique_ptr<Model>(
    const Dataset& data, const TrainConfig& config, const LinearStart* start, int threads)>;

// Error when the mode needs a maker and there is none.
void check_can_train(Mode mode, const ImageModelMaker& make_image_model);

class Session {
 public:
  // The data must outlive the session; the session stays where it is made, its parts refer to each
  // other. `linear_run` is the run that linear-init starts from.
  Session(const Dataset& data, const TrainConfig& config, int threads,
          const ImageModelMaker& make_image_model = {}, const Path& linear_run = {});
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Dataset& data;
  const TrainConfig config;
  const int threads;
  const Prepared prepared;
  const std::optional<LinearStart> start;  // of linear-init
  const LossInfo& loss_info;
  const LossParameters params;  // every parameter of the loss, resolved
  const std::unique_ptr<const Loss> loss;
  TrainingLabels labels;
  std::unique_ptr<Model> model;
  const std::unique_ptr<LabelEstimator> estimator;  // null unless the loss uses estimates
  const Evaluator validation;
  const std::unique_ptr<LabelMemory> memory;  // null unless the loss keeps something
  Loop loop;

  LossSetup loss_setup() const;
  uint64_t total_steps() const;
  // The trained model, once the loop is done; the session is of no use afterwards.
  std::unique_ptr<LinearModel> take_linear_model();
  // Whether the part has what the model predicts from: features, or images.
  bool has_inputs(const DataPart& part) const;
  // Rows of a part, all of them.
  static std::vector<int32_t> all_rows(const DataPart& part);

 private:
  std::unique_ptr<Model> make_model(const ImageModelMaker& make_image_model) const;
  std::unique_ptr<Model> make_linear_model() const;
  std::unique_ptr<LabelEstimator> make_estimator();
  std::unique_ptr<LabelEstimator> make_table(const AdamConfig& adam);
  std::unique_ptr<LabelMemory> make_memory();
  LoopPlan plan() const;
};

}  // namespace spml
