// Random weights of a real architecture.
#pragma once

#include <cmath>

#include "base/rng.h"
#include "vision/weights/resnet_weights.h"

namespace spml {

// He-scaled convolutions, batch normalisation near the identity but different in every channel.
inline NamedTensors random_resnet_tensors(const ResNetLayout& layout, uint64_t seed = 1) {
  CounterRng random(seed, Stream::kSynthetic);
  NamedTensors tensors;
  const auto add = [&](const std::string& name, std::vector<size_t> shape, double mean,
                       double deviation) {
    size_t elements = 1;
    for (const size_t dim : shape) elements *= dim;
    NamedTensor tensor{std::move(shape), std::vector<float>(elements)};
    for (float& x : tensor.values) x = static_cast<float>(mean + deviation * random.normal());
    tensors[name] = std::move(tensor);
  };
  for (const ConvLayout& c : layout.convolutions()) {
    const double fan_in = static_cast<double>(c.in * c.kernel * c.kernel);
    add(c.conv + ".weight", {c.out, c.in, c.kernel, c.kernel}, 0, std::sqrt(2 / fan_in));
    add(c.bn + ".weight", {c.out}, 0.7, 0.05);
    add(c.bn + ".bias", {c.out}, 0, 0.1);
    add(c.bn + ".running_mean", {c.out}, 0, 0.1);
    add(c.bn + ".running_var", {c.out}, 1, 0.1);
  }
  return tensors;
}

inline ResNetWeights random_resnet(int depth, ResNetVariant variant, size_t width = 64) {
  return check_resnet(random_resnet_tensors(resnet_layout(depth, variant, width)), variant,
                      "random");
}

// A sixteenth of a ResNet-18's weights: where a test trains many.
inline ResNetWeights narrow_resnet() { return random_resnet(18, ResNetVariant::kV1_5, 16); }

}  // namespace spml
