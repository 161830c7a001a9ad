// The configuration of a training run: what the flags of `spml train` say. The same keys stand in
// --config files, in config.json and in the definitions of experiments.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "linear/features.h"
#include "settings/own_loss.h"
#include "spml/settings.h"
#include "train/adam.h"

namespace spml {

enum class Mode { kLinear, kFinetune, kLinearInit };

// What only the modes that train the network itself use.
struct ImageConfig {
  std::string weights;               // the file in which the network starts
  std::string weights_sha256;        // of its contents
  int size = 448;                    // images are resized to size x size
  std::string train_from = "conv1";  // the first layer that learns; those below stay as they are
  size_t accumulate = 1;             // parts in which a batch goes through the network
  std::string schedule = "cosine";   // of the learning rate
  double warmup = 0.1;               // share of the run in which the learning rate rises from 0
  std::optional<double> head_lr_factor;  // default by mode
  bool freeze_bn = true;
  std::string device = "auto";
  std::string init;  // linear-init: the linear run or sweep to start from; "" = done on the spot
};

// By Mode.
inline constexpr std::array<double, 3> kDefaultLearningRate = {1e-3, 1e-5, 1e-5};
inline constexpr std::array<double, 3> kDefaultEpochs = {25, 10, 5};
inline constexpr std::array<double, 3> kDefaultHeadLrFactor = {1, 100, 10};

// Its members are declared to users in settings_table.cc.
struct TrainConfig : TrainSettings {
  std::string loss;
  std::shared_ptr<const OwnLoss> own_loss;  // given by a user of the library; `loss` is its name
  Mode mode = Mode::kLinear;                // lr and epochs have defaults by mode
  bool refit = false;                       // train on train and val; the last epoch is kept
  bool k_is_estimated = false;              // from observed labels, not given
  std::string shard_by = "labels";  // what each of several ranks has a part of: labels or rows
  std::string sync_every = "1";     // with rows: steps between exchanges, or auto
  ImageConfig image;

  double learning_rate() const;
  int epoch_count() const;
  double head_learning_rate() const;  // of the linear layer
  AdamConfig adam() const;
};

// The paper's fine-tuning: what `reproduce` and --preset paper-finetune use.
ImageConfig paper_image_config();

// What the table says of the run's loss, or the loss itself where it is not of the table. Error for
// an unknown name.
const LossInfo& loss_info(const TrainConfig& config);

// Whether the run takes steps; else its classifier is solved for (closed_form.h).
bool takes_steps(const TrainConfig& config);

std::string_view to_string(Mode mode);
std::string_view to_string(Select select);
std::string_view to_string(EstimatorKind kind);
Mode mode_from(std::string_view name);                // Error naming the choices
Select select_from(std::string_view name);            // Error naming the choices
EstimatorKind estimator_from(std::string_view name);  // Error naming the choices

// pos=1,neg=0,seed=1200 in any order, each optional.
ObserveOptions observe_from(std::string_view text);

}  // namespace spml
