#include <omp.h>

#include <algorithm>
#include <dnnl.hpp>

#include "base/fail.h"
#include "vision/adam_update.h"
#include "vision/plans_by_size.h"
#include "vision/trainable_network.h"
#include "vision/training_plan.h"

namespace spml {
namespace {

constexpr const char* kBackbone = "backbone.";

TrainedTensor trained(std::vector<size_t> shape, std::vector<float> value) {
  const size_t n = value.size();
  return {std::move(shape), std::move(value), std::vector<float>(n), std::vector<float>(n),
          std::vector<float>(n)};
}

// logits = features weight^T + bias, with its gradient.
class Head {
 public:
  Head(size_t features, std::vector<float> weight, std::vector<float> bias) {
    const size_t labels = bias.size();
    weight_ = trained({labels, features}, std::move(weight));
    bias_ = trained({labels}, std::move(bias));
  }

  TrainedTensor& weight() { return weight_; }
  TrainedTensor& bias() { return bias_; }

  View<const float> forward(View<const float> features) {
    features_.assign(features.data, features.data + features.size());
    const size_t B = features.rows, D = features.cols, L = bias_.value.size();
    logits_.resize(B * L);
    for (size_t b = 0; b < B; ++b) {
      for (size_t l = 0; l < L; ++l) {
        double sum = bias_.value[l];
        for (size_t j = 0; j < D; ++j) sum += features.row(b)[j] * weight_.value[l * D + j];
        logits_[b * L + l] = static_cast<float>(sum);
      }
    }
    return {logits_.data(), B, L};
  }

  // The gradient with respect to the features.
  const std::vector<float>& backward(View<const float> dlogits) {
    const size_t B = dlogits.rows, L = dlogits.cols, D = features_.size() / B;
    dfeatures_.assign(B * D, 0.0f);
    for (size_t b = 0; b < B; ++b) {
      const float* const features = features_.data() + b * D;
      float* const dfeatures = dfeatures_.data() + b * D;
      for (size_t l = 0; l < L; ++l) {
        const float g = dlogits.row(b)[l];
        bias_.gradient[l] += g;
        for (size_t j = 0; j < D; ++j) {
          weight_.gradient[l * D + j] += g * features[j];
          dfeatures[j] += g * weight_.value[l * D + j];
        }
      }
    }
    return dfeatures_;
  }

 private:
  TrainedTensor weight_, bias_;
  std::vector<float> features_, logits_, dfeatures_;
};

class CpuNetwork : public TrainableNetwork {
 public:
  CpuNetwork(const ResNetWeights& weights, const NetworkOptions& options)
      : options_(options),
        layout_(weights.layout),
        bn_epsilon_(weights.bn_epsilon),
        head_(layout_.features, options.head_weight, options.head_bias) {
    for (const ConvLayout& c : layout_.convolutions()) {
      const bool learns =
          options.first_layer == 0 || c.conv >= fmt::format("layer{}", options.first_layer);
      add(weights, c.conv + ".weight", learns);
      add(weights, c.bn + ".weight", learns && !options.freeze_bn);
      add(weights, c.bn + ".bias", learns && !options.freeze_bn);
      add(weights, c.bn + ".running_mean", false);
      add(weights, c.bn + ".running_var", false);
    }
    list("classifier.weight", head_.weight());
    list("classifier.bias", head_.bias());
  }

  const std::vector<Tensor>& tensors() const override { return tensors_; }
  std::vector<float> get(size_t tensor, State state) const override {
    const std::vector<float>& found = values(tensor, state);
    if (state == State::kGradient && !has_gradient_) return std::vector<float>(found.size());
    return found;
  }
  void set(size_t tensor, State state, std::span<const float> values) override {
    std::vector<float>& target = this->values(tensor, state);
    check_size(tensors_[tensor], target.size(), values.size());
    if (state == State::kGradient && !has_gradient_) {
      for (TrainedTensor* const x : data_) std::ranges::fill(x->gradient, 0.0f);
      has_gradient_ = true;
    }
    std::ranges::copy(values, target.begin());
    weights_changed();
  }

  View<const float> forward(std::span<const float> images, size_t batch, bool) override {
    return guarded([&] {
      last_ = &plans_.get(batch, [&] {
        return std::make_unique<PackedPlan>(layout_, backbone_,
                                            PlanInput{batch, options_.size, options_.first_layer},
                                            NormOptions{bn_epsilon_, options_.freeze_bn});
      });
      if (!last_->packed) last_->plan.pack_weights();
      last_->packed = true;
      return head_.forward(last_->plan.forward(images.data()));
    });
  }

  void backward(View<const float> dlogits) override {
    guarded([&] {
      last_->plan.backward(head_.backward(dlogits).data(), has_gradient_);
      last_->plan.update_statistics();
    });
    has_gradient_ = true;
  }

  void step(const AdamConfig& adam, uint64_t t) override {
    for (size_t i = 0; i < tensors_.size(); ++i) {
      if (!tensors_[i].trained) continue;
      AdamConfig config = adam;
      if (!is_backbone(i)) config.lr *= options_.head_lr_factor;
      TrainedTensor& x = *data_[i];
      adam_update(AdamStep(config, t), x.value, x.gradient, x.m, x.v, options_.threads);
    }
    // The plan overwrites its part of the gradient.
    std::ranges::fill(head_.weight().gradient, 0.0f);
    std::ranges::fill(head_.bias().gradient, 0.0f);
    has_gradient_ = false;
    weights_changed();
    plans_.end_step();
  }

  std::unique_ptr<Backbone> inference_network() const override {
    return make_inference_resnet(weights(), options_.threads);
  }
  std::unique_ptr<Backbone> inference_from_first_layer() const override {
    return make_inference_resnet_from(weights(), options_.first_layer, options_.threads);
  }

 private:
  ResNetWeights weights() const {
    ResNetWeights weights;
    weights.layout = layout_;
    weights.bn_epsilon = bn_epsilon_;
    for (const auto& [name, tensor] : backbone_) {
      weights.tensors[name] = {tensor.shape, tensor.value};
    }
    return weights;
  }

  struct PackedPlan {
    template <class... Arguments>
    explicit PackedPlan(Arguments&&... arguments) : plan(std::forward<Arguments>(arguments)...) {}
    TrainingPlan plan;
    bool packed = false;  // it has the weights as they are
  };

  void weights_changed() {
    plans_.for_each([](PackedPlan& plan) { plan.packed = false; });
  }
  void add(const ResNetWeights& weights, const std::string& name, bool is_trained) {
    const NamedTensor& source = weights.tensors.find(name)->second;
    TrainedTensor tensor{source.shape, source.values, {}, {}, {}};
    if (is_trained) tensor = trained(source.shape, source.values);
    list(kBackbone + name, backbone_.emplace(name, std::move(tensor)).first->second);
  }
  void list(std::string name, TrainedTensor& tensor) {
    tensors_.push_back({std::move(name), tensor.shape, !tensor.gradient.empty()});
    data_.push_back(&tensor);
  }
  bool is_backbone(size_t tensor) const { return tensors_[tensor].name.starts_with(kBackbone); }
  std::vector<float>& values(size_t tensor, State state) const {
    TrainedTensor& x = *data_[tensor];
    switch (state) {
      case State::kFirstMoment:
        return x.m;
      case State::kSecondMoment:
        return x.v;
      case State::kGradient:
        return x.gradient;
      case State::kValue:
        break;
    }
    return x.value;
  }

  // Runs work of oneDNN: with our number of threads, and its errors as ours.
  template <class Work>
  std::invoke_result_t<Work> guarded(const Work& work) {
    omp_set_num_threads(options_.threads);
    try {
      return work();
    } catch (const dnnl::error& error) {
      fail("the network could not be trained at {} x {}: {}", options_.size, options_.size,
           error.what());
    }
  }

  NetworkOptions options_;
  ResNetLayout layout_;
  double bn_epsilon_;
  TrainedTensors backbone_;
  Head head_;
  std::vector<Tensor> tensors_;
  std::vector<TrainedTensor*> data_;  // of tensors_
  PlansBySize<PackedPlan> plans_;
  PackedPlan* last_ = nullptr;  // of the last forward()
  bool has_gradient_ = false;   // to be added to; else what is left of the last step's
};

}  // namespace

std::unique_ptr<TrainableNetwork> make_cpu_network(const ResNetWeights& weights,
                                                   const NetworkOptions& options) {
  return std::make_unique<CpuNetwork>(weights, options);
}

}  // namespace spml
