// A network in training through LibTorch: on a card, or as a check of the one for the processor.
#pragma once

#include <string>

#include "vision/trainable_network.h"

namespace spml {

// Whether LibTorch has CUDA and finds a card.
bool torch_has_cuda();

// device: "cpu", "cuda" or "cuda:1". Error where there is no such device.
std::unique_ptr<TrainableNetwork> make_torch_network(const ResNetWeights& weights,
                                                     const NetworkOptions& options,
                                                     const std::string& device);

}  // namespace spml
