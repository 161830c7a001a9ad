// The trainable network, and the inference network against it.
#include "libtorch/resnet.h"

#include <torch/script.h>

#include "libtorch/torchscript.h"
#include "testing.h"
#include "vision/backbone.h"
#include "vision/small_resnet.h"

namespace spml {
namespace {

using testing::HasSubstr;

torch::Tensor pictures(int64_t n, int64_t size) {
  torch::manual_seed(7);
  return torch::randn({n, 3, size, size});
}

// max |a - b| / max |b|
double relative_difference(const torch::Tensor& a, const torch::Tensor& b) {
  return ((a - b).abs().max() / b.abs().max()).item<double>();
}

torch::Tensor run(Backbone& backbone, const torch::Tensor& images) {
  torch::Tensor out = torch::empty({images.size(0), static_cast<int64_t>(backbone.features())});
  backbone.run({images.data_ptr<float>(), static_cast<size_t>(images.numel())},
               static_cast<int>(images.size(2)),
               {out.data_ptr<float>(), static_cast<size_t>(out.size(0)), backbone.features()});
  return out;
}

class ResNetAgreement : public testing::TestWithParam<std::pair<int, ResNetVariant>> {};

TEST_P(ResNetAgreement, InferenceEqualsTheTorchModuleInEvalMode) {
  const auto [depth, variant] = GetParam();
  const ResNetWeights weights = random_resnet(depth, variant);
  ResNet net(weights);
  net->eval();
  const torch::NoGradGuard no_grad;
  const auto inference = make_inference_resnet(weights, 2);
  for (const int64_t size : {64, 75}) {
    const torch::Tensor images = pictures(3, size);
    EXPECT_LT(relative_difference(run(*inference, images), net(images)), 1e-4) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(ResNet, ResNetAgreement,
                         testing::Values(std::pair(18, ResNetVariant::kV1_5),
                                         std::pair(34, ResNetVariant::kV1_5),
                                         std::pair(50, ResNetVariant::kV1),
                                         std::pair(50, ResNetVariant::kV1_5),
                                         std::pair(101, ResNetVariant::kV1_5)));

TEST(ResNet, ThreadsDoNotChangeTheFeatures) {
  const ResNetWeights weights = random_resnet(18, ResNetVariant::kV1_5);
  const torch::Tensor images = pictures(5, 64);
  const auto one = make_inference_resnet(weights, 1), three = make_inference_resnet(weights, 3);
  EXPECT_TRUE(torch::equal(run(*one, images), run(*three, images)));
}

TEST(ResNet, WeightsSurviveTheModule) {
  const ResNetWeights weights = random_resnet(50, ResNetVariant::kV1);
  const ResNetWeights back = ResNet(weights)->weights();
  ASSERT_EQ(back.tensors.size(), weights.tensors.size());
  for (const auto& [name, tensor] : weights.tensors) {
    EXPECT_EQ(back.tensors.at(name).shape, tensor.shape) << name;
    EXPECT_EQ(back.values(name), tensor.values) << name;
  }
}

TEST(ResNet, TrainingReachesEveryParameterAndTheStatistics) {
  const ResNetWeights weights = random_resnet(18, ResNetVariant::kV1_5);
  ResNet net(weights);
  net->train();
  net(pictures(4, 64)).pow(2).mean().backward();
  for (const auto& parameter : net->named_parameters()) {
    ASSERT_TRUE(parameter.value().grad().defined()) << parameter.key();
    EXPECT_GT(parameter.value().grad().abs().max().item<float>(), 0) << parameter.key();
  }
  EXPECT_NE(net->weights().values("bn1.running_mean"), weights.values("bn1.running_mean"));
}

class TorchScript : public testing::Test {
 protected:
  Path save(const std::string& code) {
    torch::jit::Module module("m");
    module.define(code);
    module.save((folder_ / "m.pt").string());
    return folder_ / "m.pt";
  }
  TemporaryFolder folder_;
};

TEST_F(TorchScript, VectorsPassAndMapsAreAveraged) {
  const torch::Tensor images = pictures(2, 32);
  const auto vectors =
      load_torchscript(save("def forward(self, x):\n  return x.flatten(1)\n"), 32, 1);
  EXPECT_EQ(vectors->features(), 3u * 32 * 32);
  EXPECT_TRUE(torch::equal(run(*vectors, images), images.flatten(1)));
  const auto maps = load_torchscript(save("def forward(self, x):\n  return x * 2\n"), 32, 1);
  EXPECT_EQ(maps->features(), 3u);
  EXPECT_LT(relative_difference(run(*maps, images), images.mean({2, 3}) * 2), 1e-5);
}

TEST_F(TorchScript, OtherResultsAndFilesAreErrors) {
  EXPECT_SPML_ERROR(load_torchscript(save("def forward(self, x):\n  return x.sum()\n"), 32, 1),
                    HasSubstr("found 0 dimensions"));
  write_file(folder_ / "x.pt", "no such thing");
  EXPECT_SPML_ERROR(load_torchscript(folder_ / "x.pt", 32, 1), HasSubstr("TorchScript"));
}

}  // namespace
}  // namespace spml
