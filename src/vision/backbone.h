// A network that turns images into feature vectors, whatever computes it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "data/feature_pooling.h"
#include "spml/view.h"
#include "vision/weights/resnet_weights.h"

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
std::unique_ptr<Backbone> make_inference_resnet(const ResNetWeights& weights, int threads,
                                                const FeaturePooling& pooling = {});

// The same from a layer (1 to 4) on: its run() takes that layer's input of each image, positions x
// channels, instead of the image, and gives the mean.
std::unique_ptr<Backbone> make_inference_resnet_from(const ResNetWeights& weights, int layer,
                                                     int threads);

// The layers below: images -> what goes into a layer.
class Trunk {
 public:
  virtual ~Trunk() = default;
  // images: B x 3 x size x size. out: B x positions x channels.
  virtual void run(std::span<const float> images, int size, View<float> out) = 0;
};
std::unique_ptr<Trunk> make_trunk(const ResNetWeights& weights, int layer, int threads);

}  // namespace spml
