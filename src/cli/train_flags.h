// The training flags, declared once: `train` takes one value of each, `sweep` lists.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/flags.h"
#include "experiment/config.h"

namespace spml::cli {

struct TrainFlags {
  std::string data;
  std::vector<std::string> loss;
  std::string preset;  // already expanded into the other flags
  std::string mode = "linear";
  std::vector<double> lr;
  std::vector<size_t> batch;
  std::vector<uint64_t> epochs;
  std::vector<uint64_t> seeds = {0};
  std::vector<double> k;
  std::vector<std::string> estimator;
  std::vector<size_t> rank, hidden;
  std::vector<std::string> params;  // name=value; in a sweep name=value,value,...
  std::string observe;
  std::string select = "clean";
  double val_fraction = 0.2;
  uint32_t split_seed = 1200;
  std::vector<double> subsample = {1.0};
  std::vector<std::string> transform = {"none"};
  std::vector<double> weight_decay = {0.0};
  int patience = 0;
  std::string record;
  // Of the modes that train the network; not given: ImageConfig's defaults.
  std::string weights, device, init;
  std::optional<int> size;
  std::optional<size_t> accumulate;
  std::optional<double> head_lr_factor;
  bool freeze_bn = false;

  bool is_linear() const { return mode == "linear"; }
  // Whether the data's features are used: as input, or by a linear phase on the spot.
  bool needs_features() const { return is_linear() || (mode == "linear-init" && init.empty()); }
};

void add_train_flags(Verb& verb, TrainFlags& flags, bool lists);

// A usage error when flags of image training are given for another mode.
void check_image_flags(const TrainFlags& flags);

// Every combination of the values given, for a data set of so many labels. Parameters apply to
// the losses that have them; one that no loss has is a usage error. So with the estimator. An lr or
// batch not given is taken from `lr` and `batch`.
std::vector<TrainConfig> expand(const TrainFlags& flags, size_t labels,
                                const std::vector<double>& default_lr,
                                const std::vector<size_t>& default_batch);

}  // namespace spml::cli
