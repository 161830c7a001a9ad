#include "libtorch/resnet.h"

#include <algorithm>

#include "base/fail.h"

namespace spml {
namespace {

torch::nn::Conv2d make_conv(const ConvLayout& c) {
  const auto in = static_cast<int64_t>(c.in), out = static_cast<int64_t>(c.out);
  const auto kernel = static_cast<int64_t>(c.kernel);
  return torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, kernel)
                               .stride(static_cast<int64_t>(c.stride))
                               .padding(kernel / 2)
                               .bias(false));
}

torch::nn::BatchNorm2d make_norm(const ConvLayout& c, double epsilon) {
  return torch::nn::BatchNorm2d(
      torch::nn::BatchNorm2dOptions(static_cast<int64_t>(c.out)).eps(epsilon));
}

// "layer3.1" -> index 2 of the four layers
size_t layer_of(const BlockLayout& block) { return static_cast<size_t>(block.name[5] - '1'); }

// Everything that the weights hold for the module: parameters and running statistics.
torch::OrderedDict<std::string, torch::Tensor> named_tensors(const torch::nn::Module& module) {
  auto tensors = module.named_parameters();
  for (const auto& buffer : module.named_buffers()) {
    if (buffer.key().find("num_batches_tracked") == std::string::npos) {
      tensors.insert(buffer.key(), buffer.value());
    }
  }
  return tensors;
}

std::vector<int64_t> to_sizes(const std::vector<size_t>& shape) {
  return {shape.begin(), shape.end()};
}

}  // namespace

ResidualBlockImpl::ResidualBlockImpl(const BlockLayout& layout, double bn_epsilon) {
  for (size_t i = 0; i < layout.path.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    convs_.push_back(register_module("conv" + number, make_conv(layout.path[i])));
    norms_.push_back(register_module("bn" + number, make_norm(layout.path[i], bn_epsilon)));
  }
  if (layout.shortcut) {
    downsample_ = register_module("downsample",
                                  torch::nn::Sequential(make_conv(*layout.shortcut),
                                                        make_norm(*layout.shortcut, bn_epsilon)));
  }
}

torch::Tensor ResidualBlockImpl::forward(const torch::Tensor& x) {
  torch::Tensor y = x;
  for (size_t i = 0; i + 1 < convs_.size(); ++i) y = norms_[i](convs_[i](y)).relu_();
  y = norms_.back()(convs_.back()(y));
  y += downsample_ ? downsample_->forward(x) : x;
  return y.relu_();
}

ResNetImpl::ResNetImpl(const ResNetWeights& weights)
    : layout_(weights.layout), bn_epsilon_(weights.bn_epsilon) {
  stem_ = register_module("conv1", make_conv(layout_.stem));
  stem_norm_ = register_module("bn1", make_norm(layout_.stem, bn_epsilon_));
  for (size_t i = 0; i < 4; ++i) {
    layers_.push_back(register_module("layer" + std::to_string(i + 1), torch::nn::Sequential()));
  }
  for (const BlockLayout& block : layout_.blocks) {
    layers_[layer_of(block)]->push_back(ResidualBlock(block, bn_epsilon_));
  }
  const torch::NoGradGuard no_grad;
  for (auto& item : named_tensors(*this)) {
    const auto found = weights.tensors.find(item.key());
    if (found == weights.tensors.end()) fail("the weights have no tensor '{}'", item.key());
    torch::Tensor source = torch::from_blob(const_cast<float*>(found->second.values.data()),
                                            to_sizes(found->second.shape), torch::kFloat32);
    item.value().copy_(source);
  }
}

torch::Tensor ResNetImpl::forward(torch::Tensor x) {
  x = torch::max_pool2d(stem_norm_(stem_(x)).relu_(), 3, 2, 1);
  for (auto& layer : layers_) x = layer->forward(x);
  return x.mean({2, 3});
}

ResNetWeights ResNetImpl::weights() const {
  ResNetWeights result;
  result.layout = layout_;
  result.bn_epsilon = bn_epsilon_;
  for (const auto& item : named_tensors(*this)) {
    const torch::Tensor tensor =
        item.value().detach().to(torch::kCPU, torch::kFloat32).contiguous();
    const auto sizes = tensor.sizes();
    const float* data = tensor.data_ptr<float>();
    result.tensors[item.key()] = {{sizes.begin(), sizes.end()}, {data, data + tensor.numel()}};
  }
  return result;
}

}  // namespace spml
