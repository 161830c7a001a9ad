// The configuration of a training run: what the flags of `spml train` say. The same keys stand in
// --config files, in config.json and in the definitions of experiments.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "data/observe_options.h"
#include "linear/features.h"
#include "spml/loss.h"

namespace spml {

enum class Mode { kLinear, kFinetune, kLinearInit };
enum class Select { kClean, kObserved };
enum class EstimatorKind { kTable, kFactored, kNetwork };

// How label estimates are represented, for losses that have them.
struct EstimatorChoice {
  EstimatorKind kind = EstimatorKind::kTable;
  size_t rank = 16;    // kFactored
  size_t hidden = 64;  // kNetwork
};

// What only the modes that train the network itself use.
struct ImageConfig {
  std::string weights;         // the file in which the network starts
  std::string weights_sha256;  // of its contents
  int size = 448;              // images are resized to size x size
  size_t accumulate = 1;       // parts in which a batch goes through the network
  double head_lr_factor = 1;
  bool freeze_bn = false;
  std::string device = "auto";
  std::string init;  // linear-init: the linear run or sweep to start from; "" = done on the spot
};

// By Mode.
inline constexpr std::array<double, 3> kDefaultLearningRate = {1e-3, 1e-5, 1e-5};
inline constexpr std::array<double, 3> kDefaultEpochs = {25, 10, 5};

// Its members are declared to users in settings_table.cc.
struct TrainConfig {
  std::string loss;
  LossParameters params;
  EstimatorChoice estimator;
  Mode mode = Mode::kLinear;
  std::optional<double> lr;   // default by mode
  std::optional<int> epochs;  // default by mode
  size_t batch = 16;
  uint64_t seed = 0;
  std::optional<double> k;
  std::optional<ObserveOptions> observe;  // draw instead of reading the observed labels
  Select select = Select::kClean;
  double val_fraction = 0.2;
  uint32_t split_seed = 1200;
  double subsample = 1;
  TransformKind transform = TransformKind::kNone;
  double weight_decay = 0;
  int patience = 0;
  double min_delta = 0;  // in points of MAP
  bool record_unobserved_positives = false;
  ImageConfig image;

  double learning_rate() const;
  int epoch_count() const;
};

std::string_view to_string(Mode mode);
std::string_view to_string(Select select);
std::string_view to_string(EstimatorKind kind);
Mode mode_from(std::string_view name);                // Error naming the choices
Select select_from(std::string_view name);            // Error naming the choices
EstimatorKind estimator_from(std::string_view name);  // Error naming the choices

// pos=1,neg=0,seed=1200 in any order, each optional.
ObserveOptions observe_from(std::string_view text);

}  // namespace spml
