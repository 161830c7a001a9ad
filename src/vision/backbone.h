// A network that turns images into feature vectors, whatever computes it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "spml/view.h"
#include "vision/resnet_weights.h"

namespace spml {

class Backbone {
 public:
  virtual ~Backbone() = default;

  virtual size_t features() const = 0;  // D

  // images: B x 3 x size x size, RGB less kImageMean over kImageStd. out: B x D.
  virtual void run(std::span<const float> images, int size, View<float> out) = 0;
};

// A ResNet for inference: batch normalisation folded into the convolutions, activations kept in
// the blocked channels-last layout oneDNN likes, ReLU and residual sums fused into convolutions.
std::unique_ptr<Backbone> make_inference_resnet(const ResNetWeights& weights, int threads);

}  // namespace spml
