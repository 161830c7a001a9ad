// One forward and one backward pass of a ResNet for batches of one size, compiled once: every
// primitive and every buffer is made when the plan is, and a step allocates nothing.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "spml/view.h"
#include "vision/weights/resnet_layout.h"

namespace spml {

// A tensor in C order, with what training adds to it.
struct TrainedTensor {
  std::vector<size_t> shape;
  std::vector<float> value;
  std::vector<float> gradient, m, v;  // empty for what is not trained
};
using TrainedTensors = std::map<std::string, TrainedTensor, std::less<>>;

// From images to features, or from what goes into a layer (1 to 4) to features.
struct PlanInput {
  size_t batch;
  int size;  // of the images
  int first_layer = 0;
};

struct NormOptions {
  double epsilon = 1e-5;
  bool frozen = false;  // uses the running statistics and has no gradient
};

class TrainingPlan {
 public:
  // The tensors, under torchvision's names, are used in place; they and the layout must outlive the
  // plan.
  TrainingPlan(const ResNetLayout& net, TrainedTensors& tensors, const PlanInput& input,
               NormOptions norms);
  ~TrainingPlan();

  size_t batch() const;
  // To be called when the convolutions' weights have changed.
  void pack_weights();
  // inputs: B x side x side x channels, images or maps, alive until backward(). The features, B x
  // D, valid until the next call.
  View<const float> forward(const float* inputs);
  // Writes the gradient, or adds to it.
  void backward(const float* dfeatures, bool add);
  // Moves the running statistics towards those of the last forward().
  void update_statistics();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace spml
