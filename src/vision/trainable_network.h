// A ResNet with a linear layer on top, in training: what FinetuneModel knows of whoever computes
// it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/fail.h"
#include "spml/view.h"
#include "train/adam.h"
#include "vision/backbone.h"
#include "vision/weights/resnet_weights.h"

namespace spml {

// How far a batch moves the running statistics of batch normalisation towards its own, as in torch.
inline constexpr float kNormMomentum = 0.1f;

struct NetworkOptions {
  int size = 448;             // images are size x size
  int first_layer = 0;        // 1 to 4: layers below it are not trained, and their output goes in
  bool freeze_bn = false;     // batch normalisation keeps its statistics, weights and biases
  double head_lr_factor = 1;  // the linear layer's learning rate over the network's
  int threads = 1;
  std::vector<float> head_weight, head_bias;  // where the linear layer starts, (L, D) and (L)
};

class TrainableNetwork {
 public:
  struct Tensor {
    std::string name;  // "backbone.conv1.weight", "classifier.bias"
    std::vector<size_t> shape;
    bool trained;  // running statistics are not
  };
  // What is kept for a tensor; all but the value only for a trained one. The moments are Adam's,
  // the gradient is what backward() has found since the last step.
  enum class State { kValue, kFirstMoment, kSecondMoment, kGradient };

  virtual ~TrainableNetwork() = default;

  virtual const std::vector<Tensor>& tensors() const = 0;
  // In C order; set() throws an Error for a number of values that is not the tensor's.
  virtual std::vector<float> get(size_t tensor, State state) const = 0;
  virtual void set(size_t tensor, State state, std::span<const float> values) = 0;

  // images: B x size x size x 3, or what goes into the first layer that is trained, B x side x side
  // x channels; alive until backward(). The logits, B x L, valid until the next call. Batch
  // normalisation uses the batch's statistics unless it is frozen. `backward_follows` false:
  // nothing is remembered, no statistics are updated.
  virtual View<const float> forward(std::span<const float> images, size_t batch,
                                    bool backward_follows) = 0;
  // Adds to the gradient, from the loss's gradient with respect to the logits.
  virtual void backward(View<const float> dlogits) = 0;
  // Step t (from 1) of Adam along the gradient, which is then 0.
  virtual void step(const AdamConfig& adam, uint64_t t) = 0;

  // The features of images with the weights as they are now.
  virtual std::unique_ptr<Backbone> inference_network() const = 0;
  // The same from what goes into the first layer that is trained.
  virtual std::unique_ptr<Backbone> inference_from_first_layer() const {
    fail("this network is trained from images only");
  }

 protected:
  static void check_size(const Tensor& tensor, size_t expected, size_t found) {
    if (expected == found) return;
    fail("expected {} values for '{}', found {}", expected, tensor.name, found);
  }
};

// On the processor, through oneDNN.
std::unique_ptr<TrainableNetwork> make_cpu_network(const ResNetWeights& weights,
                                                   const NetworkOptions& options);

}  // namespace spml
