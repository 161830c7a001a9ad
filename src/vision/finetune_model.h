// A ResNet and a linear layer on top, trained end to end.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "cluster/cluster.h"
#include "train/adam.h"
#include "train/model.h"
#include "train/schedule.h"
#include "vision/trainable_network.h"
#include "vision/weights/resnet_weights.h"

namespace spml {

// An empty head_weight: the linear layer is drawn as a linear run draws it.
struct FinetuneOptions : NetworkOptions {
  size_t labels = 0;  // L
  // Images go through the network in so many parts of a batch, which saves memory: the loss sees
  // the whole batch, batch normalisation a part at a time. Costs a second forward pass when not 1.
  size_t accumulate = 1;
  // Whose processes compute so many parts each, with a copy of the model; all call every function
  // with the same arguments. Up to rounding, as one process with accumulate x processes parts.
  Cluster* cluster = nullptr;
  AdamConfig adam;
  LearningSchedule schedule;
  uint64_t seed = 0;
  // With first_layer: where what the layers below compute is kept; "" = nowhere.
  Path cache;
  std::string weights_sha256;
};

using NetworkMaker =
    std::function<std::unique_ptr<TrainableNetwork>(const ResNetWeights&, const NetworkOptions&)>;

// The images are those of the rows of the two files of a data folder. An unreadable one is an
// Error when its row is used.
std::unique_ptr<Model> make_finetune_model(const ResNetWeights& weights,
                                           std::vector<Path> train_images,
                                           std::vector<Path> test_images,
                                           const FinetuneOptions& options,
                                           const NetworkMaker& make_network = make_cpu_network);

}  // namespace spml
