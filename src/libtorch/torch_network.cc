#include "libtorch/torch_network.h"

#include <torch/torch.h>

#include <algorithm>

#include "base/fail.h"
#include "libtorch/resnet.h"

namespace spml {
namespace {

torch::Device open_device(const std::string& name) {
  try {
    const torch::Device device(name);
    if (device.is_cuda() && !torch::cuda::is_available()) {
      fail("--device {}: this LibTorch has no CUDA, or there is no such card; use cpu", name);
    }
    return device;
  } catch (const c10::Error& error) {
    fail("--device {}: {}", name, error.what_without_backtrace());
  }
}

std::vector<float> to_vector(const torch::Tensor& tensor) {
  const torch::Tensor plain = tensor.detach().to(torch::kCPU).contiguous();
  return {plain.data_ptr<float>(), plain.data_ptr<float>() + plain.numel()};
}

// Not a copy: valid as long as the values.
torch::Tensor as_tensor(std::span<const float> values, at::IntArrayRef sizes) {
  return torch::from_blob(const_cast<float*>(values.data()), sizes);
}

class ModuleBackbone : public Backbone {
 public:
  ModuleBackbone(ResNet net, torch::Device device) : net_(std::move(net)), device_(device) {}
  size_t features() const override { return net_->layout().features; }
  void run(std::span<const float> images, int size, View<float> out) override {
    const torch::NoGradGuard no_grad;
    net_->eval();
    const torch::Tensor batch = as_tensor(images, {static_cast<int64_t>(out.rows), 3, size, size});
    std::ranges::copy(to_vector(net_(batch.to(device_))), out.data);
  }

 private:
  ResNet net_;
  torch::Device device_;
};

class TorchNetwork : public TrainableNetwork {
 public:
  TorchNetwork(const ResNetWeights& weights, const NetworkOptions& options,
               const std::string& device)
      : options_(options),
        device_(open_device(device)),
        net_(weights),
        head_(static_cast<int64_t>(weights.layout.features),
              static_cast<int64_t>(options.head_bias.size())) {
    {
      const torch::NoGradGuard no_grad;
      head_->weight.copy_(as_tensor(options.head_weight, head_->weight.sizes()));
      head_->bias.copy_(as_tensor(options.head_bias, head_->bias.sizes()));
    }
    net_->to(device_);
    head_->to(device_);
    for (auto& parameter : net_->parameters()) {
      if (parameter.dim() == 4) {
        parameter.set_data(parameter.contiguous(torch::MemoryFormat::ChannelsLast));
      }
    }
    for (auto& item : net_->named_parameters()) {
      // Convolutions have no bias here: every vector belongs to batch normalisation.
      const bool frozen = options_.freeze_bn && item.value().dim() == 1;
      add("backbone." + item.key(), item.value(), 1, !frozen);
    }
    for (auto& item : net_->named_buffers()) {
      if (item.key().ends_with("num_batches_tracked")) continue;  // nothing depends on it
      add("backbone." + item.key(), item.value(), 1, false);
    }
    add("classifier.weight", head_->weight, options_.head_lr_factor, true);
    add("classifier.bias", head_->bias, options_.head_lr_factor, true);
  }

  const std::vector<Tensor>& tensors() const override { return tensors_; }
  std::vector<float> get(size_t tensor, State state) const override {
    if (state == State::kGradient) return to_vector(gradient(tensor));
    return to_vector(of(tensor, state));
  }
  void set(size_t tensor, State state, std::span<const float> values) override {
    const torch::NoGradGuard no_grad;
    torch::Tensor target = state == State::kGradient ? gradient(tensor) : of(tensor, state);
    check_size(tensors_[tensor], target.defined() ? static_cast<size_t>(target.numel()) : 0,
               values.size());
    target.copy_(as_tensor(values, target.sizes()));
    if (state == State::kGradient) slots_[tensor].value.mutable_grad() = target;
  }

  View<const float> forward(std::span<const float> images, size_t batch,
                            bool backward_follows) override {
    set_training_mode();
    const torch::AutoGradMode with_graph(backward_follows);
    const torch::Tensor x =
        as_tensor(images, {static_cast<int64_t>(batch), options_.size, options_.size, 3})
            .permute({0, 3, 1, 2})
            .to(device_);
    std::vector<torch::Tensor> statistics;
    if (!backward_follows) {
      for (const torch::Tensor& buffer : net_->buffers()) statistics.push_back(buffer.clone());
    }
    logits_ = head_(net_(x));
    const auto buffers = net_->buffers();
    for (size_t i = 0; i < statistics.size(); ++i) buffers[i].copy_(statistics[i]);
    visible_ = logits_.detach().to(torch::kCPU).contiguous();
    return {visible_.data_ptr<float>(), batch, options_.head_bias.size()};
  }

  // The loss has given its gradient with respect to the logits; torch takes it from there.
  void backward(View<const float> dlogits) override {
    set_training_mode();
    logits_.backward(as_tensor(dlogits.flat(), logits_.sizes()).to(device_));
    logits_ = torch::Tensor();
  }

  void step(const AdamConfig& adam, uint64_t t) override {
    const torch::NoGradGuard no_grad;
    for (Slot& slot : slots_) {
      if (!slot.m.defined()) continue;
      AdamConfig config = adam;
      config.lr *= slot.rate_factor;
      const AdamStep k(config, t);
      torch::Tensor g = slot.value.grad();
      if (k.decay != 0) g = g + k.decay * slot.value;
      slot.m.mul_(k.beta1).add_(g, k.one_minus_beta1);
      slot.v.mul_(k.beta2).addcmul_(g, g, k.one_minus_beta2);
      slot.value.addcdiv_(slot.m, slot.v.sqrt().add_(k.eps), -k.rate);
      slot.value.mutable_grad() = torch::Tensor();
    }
  }

  std::unique_ptr<Backbone> inference_network() const override {
    if (device_.is_cpu()) return make_inference_resnet(net_->weights(), options_.threads);
    return std::make_unique<ModuleBackbone>(net_, device_);
  }

 private:
  struct Slot {
    torch::Tensor value;  // shared with the module
    torch::Tensor m, v;   // undefined for what is not trained
    double rate_factor;   // of the learning rate
  };

  void add(const std::string& name, torch::Tensor value, double factor, bool trained) {
    tensors_.push_back({name, {value.sizes().begin(), value.sizes().end()}, trained});
    value.set_requires_grad(trained);
    slots_.push_back({value, {}, {}, factor});
    if (!trained) return;
    slots_.back().m = torch::zeros_like(value);
    slots_.back().v = torch::zeros_like(value);
  }

  const torch::Tensor& of(size_t tensor, State state) const {
    const Slot& slot = slots_[tensor];
    return state == State::kValue ? slot.value : state == State::kFirstMoment ? slot.m : slot.v;
  }

  // Zeros where nothing has gone backward since the last step; undefined for what is not trained.
  torch::Tensor gradient(size_t tensor) const {
    const Slot& slot = slots_[tensor];
    if (!slot.m.defined() || slot.value.grad().defined()) return slot.value.grad();
    return torch::zeros_like(slot.value);
  }

  void set_training_mode() {
    at::set_num_threads(options_.threads);
    net_->train();
    if (!options_.freeze_bn) return;
    for (auto& module : net_->modules(false)) {
      if (module->as<torch::nn::BatchNorm2d>() != nullptr) module->eval();
    }
  }

  NetworkOptions options_;
  torch::Device device_;
  ResNet net_;
  torch::nn::Linear head_;
  std::vector<Tensor> tensors_;
  std::vector<Slot> slots_;  // of tensors_
  torch::Tensor logits_;     // with their graph
  torch::Tensor visible_;    // the logits handed out
};

}  // namespace

bool torch_has_cuda() { return torch::cuda::is_available(); }

std::unique_ptr<TrainableNetwork> make_torch_network(const ResNetWeights& weights,
                                                     const NetworkOptions& options,
                                                     const std::string& device) {
  return std::make_unique<TorchNetwork>(weights, options, device);
}

}  // namespace spml
