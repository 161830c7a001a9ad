// A trainable ResNet in LibTorch, with torchvision's structure and names. Inference without
// training is faster through make_inference_resnet().
#pragma once

#include <torch/torch.h>

#include "vision/weights/resnet_weights.h"

namespace spml {

// A residual block: basic (two convolutions) or bottleneck (three), as its layout says.
class ResidualBlockImpl : public torch::nn::Module {
 public:
  ResidualBlockImpl(const BlockLayout& layout, double bn_epsilon);
  torch::Tensor forward(const torch::Tensor& x);

 private:
  std::vector<torch::nn::Conv2d> convs_;
  std::vector<torch::nn::BatchNorm2d> norms_;
  torch::nn::Sequential downsample_{nullptr};
};
TORCH_MODULE(ResidualBlock);

class ResNetImpl : public torch::nn::Module {
 public:
  // The network with these weights; the classifier fc.* is left out.
  explicit ResNetImpl(const ResNetWeights& weights);

  // N x 3 x H x W (any memory format) -> N x D, the mean over all positions.
  torch::Tensor forward(torch::Tensor x);

  // The weights as they are now, under the same names.
  ResNetWeights weights() const;
  const ResNetLayout& layout() const { return layout_; }
  double bn_epsilon() const { return bn_epsilon_; }

 private:
  ResNetLayout layout_;
  double bn_epsilon_;
  torch::nn::Conv2d stem_{nullptr};
  torch::nn::BatchNorm2d stem_norm_{nullptr};
  std::vector<torch::nn::Sequential> layers_;
};
TORCH_MODULE(ResNet);

}  // namespace spml
