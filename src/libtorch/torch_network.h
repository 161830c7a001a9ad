// A network in training through LibTorch: on a card, or as a check of the one for the processor.
#pragma once

#include <string>

#include "vision/trainable_network.h"

namespace spml {

// device: "cpu", "cuda", "cuda:1", or "auto": a card where there is one. Error
// where there is no such device.
std::unique_ptr<TrainableNetwork> make_torch_network(const ResNetWeights& weights,
                                                     const NetworkOptions& options,
                                                     const std::string& device);

}  // namespace spml
