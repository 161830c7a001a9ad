// Everything that trains together, made from a data set and a configuration, in memory:
//
//   Session session(data, config, threads);
//   const Fit made = fit(session);
//
// fit/fit.h trains, measures and calibrates; a run adds a folder to that.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "fit/prepare.h"
#include "fit/row_share.h"
#include "train/loop.h"

namespace spml {

class LinearModel;

// Where linear-init starts: what a linear run has learnt. See linear_start.h.
struct LinearStart {
  std::vector<float> weight, bias;  // (L, D), (L)
  std::vector<int32_t> rows;        // of the training file, that the estimates are for
  std::vector<float> estimates;     // (N_train, L) probabilities; empty without a label estimator
};

// Makes the model of a run that trains the network itself. `start` is null unless the mode is
// linear-init, `cluster` unless its processes compute parts of each batch. Given from outside,
// because this library knows nothing of images.
using ImageModelMaker =
    std::function<std::unique_ptr<Model>(const Dataset& data, const TrainConfig& config,
                                         const LinearStart* start, int threads, Cluster* cluster)>;

// Error when the mode needs a maker and there is none.
void check_can_train(Mode mode, const ImageModelMaker& make_image_model);

// The numbers of all rows of a part.
std::vector<int32_t> all_rows(const DataPart& part);

class Session {
 public:
  // The data must outlive the session; the session stays where it is made, its parts refer to each
  // other. `start` is for linear-init, the maker for the modes other than linear; `rows` stand in
  // for the split of the configuration. The processes of a cluster share the labels of a linear
  // model, or the images of every batch of a network.
  Session(const Dataset& data, const TrainConfig& config, int threads,
          std::optional<LinearStart> start = {}, const ImageModelMaker& make_image_model = {},
          const Split* rows = nullptr, Cluster* cluster = nullptr);
  // One of several processes that have rows of their own; the share must outlive the session.
  Session(const RowShare& share, const TrainConfig& config, int threads);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Dataset& data;
  const TrainConfig config;
  const int threads;
  const LabelPart part;  // the labels that this process trains
  // Whose processes compute parts of each batch; labels, estimates and weights are the same in all.
  // Null where there is none.
  Cluster* const batch_cluster;
  const RowShare* const share;  // the rows, where each process has its own; else null
  const RowPart row_part;       // of the share
  const Prepared prepared;
  const std::optional<LinearStart> start;  // of linear-init
  const LossInfo& loss_info;
  const LossParameters params;  // every parameter of the loss, resolved
  const std::shared_ptr<const Loss> loss;
  TrainingLabels labels;
  std::unique_ptr<Model> model;
  const std::unique_ptr<LabelEstimator> estimator;  // null unless the loss uses estimates
  const Evaluator validation;
  const std::unique_ptr<LabelMemory> memory;  // null unless the loss keeps something
  Loop loop;

  LossSetup loss_setup() const;
  uint64_t total_steps() const { return total_steps_; }
  // The trained model, once the loop is done; the session is of no use afterwards.
  std::unique_ptr<LinearModel> take_linear_model();
  // Whether the part has what the model predicts from: features, or images.
  bool has_inputs(const DataPart& rows) const;

  // Those of a part of the data, in the order of all processes' together where each has its own.
  Evaluator evaluator(Part rows_of, std::span<const int32_t> rows, const LabelMatrix& truth) const;

 private:
  Session(const Dataset& data, const TrainConfig& config, int threads, const LabelPart& part,
          Cluster* batch_cluster, const RowShare* share, Prepared prepared,
          std::optional<LinearStart> start, const ImageModelMaker& make_image_model);
  std::shared_ptr<const Loss> make_split_loss() const;
  void check_start() const;
  std::unique_ptr<Model> make_model(const ImageModelMaker& make_image_model) const;
  std::unique_ptr<Model> make_linear_model() const;
  std::unique_ptr<LabelEstimator> make_estimator();
  std::unique_ptr<LabelEstimator> make_table(const AdamConfig& adam);
  std::unique_ptr<LabelMemory> make_memory();
  LoopPlan plan() const;
  uint64_t total_steps_;
};

}  // namespace spml
