// Fine-tuning, step by step, against LibTorch written out plainly.
#include "vision/finetune.h"

#include <torch/torch.h>

#include "libtorch/resnet.h"
#include "libtorch/torch_network.h"
#include "vision/image/decode.h"
#include "vision/image/normalise.h"
#include "vision/image/resize.h"

namespace spml {
namespace {

std::unique_ptr<TrainableNetwork> make_torch_cpu_network(const ResNetWeights& weights,
                                                         const NetworkOptions& options) {
  return make_torch_network(weights, options, "cpu");
}

INSTANTIATE_TEST_SUITE_P(Torch, Network,
                         testing::Values(NetworkKind{"torch", make_torch_cpu_network}), name_of);

std::vector<float> to_vector(const torch::Tensor& tensor) {
  const torch::Tensor plain = tensor.detach().contiguous();
  return {plain.data_ptr<float>(), plain.data_ptr<float>() + plain.numel()};
}

// NCHW, torch's own Adam, nothing of the code under test but the module.
class PlainLoop {
 public:
  explicit PlainLoop(Model& start)
      : net_(random_resnet(18, ResNetVariant::kV1_5)), head_(512, kLabels) {
    const SavedModel saved(start);
    const torch::NoGradGuard no_grad;
    std::vector<float> weight = saved["classifier.weight"], bias = saved["classifier.bias"];
    head_->weight.copy_(torch::from_blob(weight.data(), head_->weight.sizes()));
    head_->bias.copy_(torch::from_blob(bias.data(), head_->bias.sizes()));
    auto parameters = net_->parameters();
    for (const auto& p : head_->parameters()) parameters.push_back(p);
    adam_ = std::make_unique<torch::optim::Adam>(
        parameters, torch::optim::AdamOptions(kLearningRate).eps(kEpsilon));
  }

  torch::Tensor step(uint64_t step) {
    at::set_num_threads(1);
    net_->train();
    adam_->zero_grad();
    const torch::Tensor logits = head_(net_(images(step)));
    auto gradient = some_gradient(step);
    logits.backward(torch::from_blob(gradient.data(), logits.sizes()).clone());
    adam_->step();
    return logits;
  }
  std::vector<float> operator[](const std::string& name) const {
    if (name == "classifier.weight") return to_vector(head_->weight);
    return net_->weights().values(name.substr(std::string("backbone.").size()));
  }

 private:
  static torch::Tensor images(uint64_t step) {
    std::vector<torch::Tensor> batch;
    for (size_t b = 0; b < kBatch; ++b) {
      const Path file = image_list()[static_cast<size_t>(kRows[b])];
      torch::Tensor image = torch::empty({3, kSize, kSize});
      normalise(resize_bilinear(read_image(file), kSize, kSize),
                {image.data_ptr<float>(), static_cast<size_t>(image.numel())});
      const bool flip = random_u64(kSeed, Stream::kAugmentation, step * kBatch + b) >> 63 != 0;
      batch.push_back(flip ? image.flip(2) : image);
    }
    return torch::stack(batch);
  }

  ResNet net_;
  torch::nn::Linear head_;
  std::unique_ptr<torch::optim::Adam> adam_;
};

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

// Compared as a whole: where a gradient is almost 0, Adam makes a step out of its rounding. Later
// steps amplify the rounding of earlier ones, the more so as batches are small here.
class PlainTorchLoop : public Network {};
INSTANTIATE_TEST_SUITE_P(Finetune, PlainTorchLoop,
                         testing::Values(NetworkKind{"onednn", make_cpu_network},
                                         NetworkKind{"torch", make_torch_cpu_network}),
                         name_of);

TEST_P(PlainTorchLoop, TakesTheSameSteps) {
  const auto model = make(small_options());
  PlainLoop plain(*model);
  const SavedModel before(*model);
  for (const auto& [step, tolerance] : {std::pair<uint64_t, double>(0, 2e-3), {1, 5e-2}}) {
    const View<const float> logits = model->forward(kRows);
    const std::vector<float> found(logits.data, logits.data + logits.size());
    const auto gradient = some_gradient(step);
    model->backward({gradient.data(), kBatch, kLabels});
    EXPECT_LT(largest_difference(found, to_vector(plain.step(step))), 0.1 * tolerance) << step;
    const SavedModel after(*model);
    for (const char* name :
         {"backbone.conv1.weight", "backbone.layer1.0.conv2.weight",
          "backbone.layer4.1.conv2.weight", "backbone.layer4.0.downsample.0.weight",
          "backbone.bn1.weight", "backbone.layer4.1.bn2.bias", "backbone.bn1.running_mean",
          "backbone.layer4.1.bn2.running_var", "classifier.weight"}) {
      EXPECT_GT(largest_difference(before[name], after[name]), 1e-5) << name;
      EXPECT_LT(distance(plain[name], after[name]), tolerance * distance(before[name], after[name]))
          << name << " after step " << step;
    }
  }
}

TEST(TorchNetwork, AbsentCardsAreErrors) {
  if (torch::cuda::is_available()) GTEST_SKIP() << "there is a card";
  const auto on_a_card = [](const ResNetWeights& weights, const NetworkOptions& network) {
    return make_torch_network(weights, network, "cuda:1");
  };
  EXPECT_SPML_ERROR(make(small_options(), on_a_card), testing::HasSubstr("has no CUDA"));
}

}  // namespace
}  // namespace spml
