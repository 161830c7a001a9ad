// Fine-tuning, step by step, against LibTorch written out plainly.
#include "vision/finetune_model.h"

#include <torch/torch.h>

#include <numeric>

#include "base/rng.h"
#include "data/dataset.h"
#include "formats/safetensors.h"
#include "libtorch/resnet.h"
#include "libtorch/torch_network.h"
#include "linear/linear_model.h"
#include "train/evaluator.h"
#include "vision/extract.h"
#include "vision/normalise.h"
#include "vision/pictures.h"
#include "vision/resize.h"
#include "vision/small_resnet.h"

namespace spml {
namespace {

constexpr int kSize = 48;
constexpr size_t kLabels = 3, kBatch = 4;
constexpr uint64_t kSeed = 5;
// Adam's step is then nearly proportional to the gradient. With the usual epsilon it has the same
// length wherever there is one, and rounding decides where a weight with next to none goes.
constexpr double kLearningRate = 0.1, kEpsilon = 100;
const std::vector<int32_t> kRows{2, 0, 3, 1};

std::vector<Path> image_list() {
  return {picture("color.jpg"), picture("alpha.png"), picture("gray.jpg"), picture("cmyk.jpg")};
}

FinetuneOptions small_options() {
  FinetuneOptions options;
  options.labels = kLabels;
  options.size = kSize;
  options.adam.lr = kLearningRate;
  options.adam.eps = kEpsilon;
  options.threads = 1;
  options.seed = kSeed;
  return options;
}

std::unique_ptr<Model> make(const FinetuneOptions& options,
                            const NetworkMaker& make_network = make_cpu_network) {
  return make_finetune_model(random_resnet(18, ResNetVariant::kV1_5), image_list(), image_list(),
                             options, make_network);
}

std::unique_ptr<TrainableNetwork> make_torch_cpu_network(const ResNetWeights& weights,
                                                         const NetworkOptions& options) {
  return make_torch_network(weights, options, "cpu");
}

// What is true of a network whoever computes it.
class Network : public testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<Model> make(const FinetuneOptions& options) const {
    const bool torch = GetParam() == std::string("torch");
    return ::spml::make(options, torch ? make_torch_cpu_network : make_cpu_network);
  }
};
INSTANTIATE_TEST_SUITE_P(Finetune, Network, testing::Values("onednn", "torch"),
                         [](const auto& network) { return network.param; });

// The gradient of some loss: any numbers will do.
std::vector<float> some_gradient(uint64_t step) {
  std::vector<float> gradient(kBatch * kLabels);
  CounterRng random(step, Stream::kSynthetic);
  for (float& g : gradient) g = static_cast<float>(random.normal());
  return gradient;
}

void train_step(Model& model, uint64_t step) {
  model.forward(kRows);
  const auto gradient = some_gradient(step);
  model.backward({gradient.data(), kBatch, kLabels});
  model.finish_step();
}

// The tensors of model.safetensors.
class SavedModel {
 public:
  explicit SavedModel(Model& model) {
    SafetensorsWriter writer;
    model.save_model(writer);
    writer.write(folder_ / "m.safetensors");
  }
  std::vector<float> operator[](const std::string& name) const {
    return SafetensorsFile(folder_ / "m.safetensors").floats(name);
  }
  std::string bytes() const { return read_file(folder_ / "m.safetensors"); }

 private:
  TemporaryFolder folder_;
};

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    worst = std::max(worst, std::abs(double{a[i]} - b[i]));
  }
  return worst;
}

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
TEST_P(Network, StepsEqualAPlainTorchLoop) {
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

TEST_P(Network, FrozenBatchNormStaysAndTheRestMoves) {
  FinetuneOptions options = small_options();
  options.freeze_bn = true;
  const auto model = make(options);
  const SavedModel before(*model);
  train_step(*model, 0);
  const SavedModel after(*model);
  for (const char* name : {"backbone.bn1.weight", "backbone.bn1.bias", "backbone.bn1.running_mean",
                           "backbone.layer4.1.bn2.running_var"}) {
    EXPECT_EQ(before[name], after[name]) << name;
  }
  EXPECT_NE(before["backbone.conv1.weight"], after["backbone.conv1.weight"]);
}

// Without batch statistics the parts of a batch know nothing of each other.
TEST_P(Network, PartsOfABatchGiveTheGradientOfTheWhole) {
  FinetuneOptions options = small_options();
  options.freeze_bn = true;
  const auto whole = make(options);
  options.accumulate = 2;
  const auto in_parts = make(options);
  const SavedModel before(*whole);
  train_step(*whole, 0);
  train_step(*in_parts, 0);
  const SavedModel a(*whole), b(*in_parts);
  for (const char* name : {"backbone.conv1.weight", "backbone.layer4.1.conv2.weight"}) {
    const double moved = largest_difference(before[name], a[name]);
    EXPECT_GT(moved, 0) << name;
    EXPECT_LT(largest_difference(a[name], b[name]), 2e-3 * moved) << name;
  }
}

// The first of the two passes must leave no trace.
TEST_P(Network, PartsOfABatchUpdateTheStatisticsOnce) {
  FinetuneOptions options = small_options();
  options.accumulate = 2;
  const auto model = make(options);
  const SavedModel before(*model);
  model->forward(kRows);
  EXPECT_EQ(SavedModel(*model)["backbone.bn1.running_mean"], before["backbone.bn1.running_mean"]);
  const auto gradient = some_gradient(0);
  model->backward({gradient.data(), kBatch, kLabels});
  EXPECT_NE(SavedModel(*model)["backbone.bn1.running_mean"], before["backbone.bn1.running_mean"]);
}

TEST_P(Network, TheHeadHasItsOwnLearningRate) {
  FinetuneOptions options = small_options();
  options.adam.lr = 1e-2;
  options.adam.eps = 1e-8;  // the first step is then as long as the learning rate
  options.head_lr_factor = 7;
  const auto model = make(options);
  const SavedModel before(*model);
  train_step(*model, 0);
  const SavedModel after(*model);
  const auto moved = [&](const char* name) {
    return largest_difference(before[name], after[name]);
  };
  EXPECT_NEAR(moved("classifier.weight"), 7e-2, 1e-3);
  EXPECT_NEAR(moved("backbone.layer4.1.conv2.weight"), 1e-2, 1e-3);
}

TEST_P(Network, ResumedTrainingGivesTheSameBytes) {
  const auto whole = make(small_options());
  for (uint64_t step = 0; step < 4; ++step) {
    train_step(*whole, step);
    if (step == 1) whole->keep_best();
  }
  const auto first = make(small_options());
  for (uint64_t step = 0; step < 3; ++step) {
    train_step(*first, step);
    if (step == 1) first->keep_best();
  }
  TemporaryFolder folder;
  SafetensorsWriter writer;
  first->save_state(writer);
  writer.write(folder / "state");
  const auto second = make(small_options());
  second->load_state(SafetensorsFile(folder / "state"));
  train_step(*second, 3);
  EXPECT_TRUE(SavedModel(*whole).bytes() == SavedModel(*second).bytes());
  const std::string last = SavedModel(*whole).bytes();
  whole->restore_best();
  second->restore_best();
  EXPECT_TRUE(SavedModel(*whole).bytes() == SavedModel(*second).bytes());
  EXPECT_FALSE(SavedModel(*whole).bytes() == last);
}

// The best weights are paired with the tensors by their place: some of them would be written into
// others, past their end.
TEST_P(Network, ACheckpointHasAllOfItsBestWeightsOrNone) {
  const auto model = make(small_options());
  model->keep_best();
  TemporaryFolder folder;
  SafetensorsWriter whole;
  model->save_state(whole);
  whole.write(folder / "whole");
  const SafetensorsFile file(folder / "whole");
  const auto copy_without = [&](const std::string& left_out, const Path& path) {
    SafetensorsWriter writer;
    for (const auto& [name, info] : file.tensors()) {
      if (name.starts_with(left_out)) continue;
      writer.add(name, info.dtype, info.shape, info.bytes);
    }
    for (const auto& [key, value] : file.metadata()) writer.add_metadata(key, value);
    writer.write(path);
  };
  copy_without("model.best.backbone.conv1.weight", folder / "partial");
  EXPECT_SPML_ERROR(model->load_state(SafetensorsFile(folder / "partial")),
                    testing::HasSubstr("model.best.backbone.conv1.weight"));
  copy_without("model.best.", folder / "none");
  model->load_state(SafetensorsFile(folder / "none"));
}

TEST(Finetune, NetworksRefuseValuesOfAnotherSize) {
  NetworkOptions options;
  options.size = kSize;
  options.head_weight.resize(kLabels * 512);
  options.head_bias.resize(kLabels);
  const ResNetWeights weights = random_resnet(18, ResNetVariant::kV1_5);
  for (const auto& make_network : {make_cpu_network, make_torch_cpu_network}) {
    const auto network = make_network(weights, options);
    const std::vector<float> values(network->get(0, TrainableNetwork::State::kValue).size() + 1);
    EXPECT_SPML_ERROR(network->set(0, TrainableNetwork::State::kValue, values),
                      testing::HasSubstr("for 'backbone.conv1.weight', found"));
    EXPECT_SPML_ERROR(
        network->set(0, TrainableNetwork::State::kFirstMoment, std::span(values).first(1)),
        testing::HasSubstr("found 1"));
  }
}

// LinearInit, before its first step, is the linear run.
TEST(Finetune, StartsWhereTheLinearClassifierEnded) {
  TemporaryFolder folder;
  std::vector<std::string> names;
  for (const Path& file : image_list()) names.push_back(file.string());
  write_npy(folder / "formatted_train_images.npy", std::span<const std::string>(names));
  const std::vector<int8_t> labels{1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1};
  write_npy(folder / "formatted_train_labels.npy", View<const int8_t>{labels.data(), 4, 3});
  const auto backbone = make_inference_resnet(random_resnet(18, ResNetVariant::kV1_5), 2);
  extract_features(folder.path(), *backbone, {"w", "0", "resnet18", "v1.5"},
                   {.size = kSize, .threads = 2, .decode = {}}, {});
  const Dataset data = open_dataset(folder.path());

  LinearConfig config;
  config.features = 512;
  config.labels = kLabels;
  config.seed = 77;
  LinearModel linear(config, {}, &data.train_file.features, nullptr);
  FinetuneOptions options = small_options();
  options.head_weight = linear.weight();
  options.head_bias.assign(linear.bias().begin(), linear.bias().end());
  const auto tuned = make(options);
  std::vector<int32_t> rows(4);
  std::iota(rows.begin(), rows.end(), 0);
  std::vector<float> expected(12), found(12);
  linear.predict(Part::kTrainFile, rows, 0, {expected.data(), 4, 3});
  tuned->predict(Part::kTrainFile, rows, 0, {found.data(), 4, 3});
  EXPECT_EQ(found, expected);
  const Evaluator evaluator(Part::kTrainFile, rows, data.train_file.truth, 1);
  EXPECT_EQ(evaluator.evaluate(*tuned).map.map, evaluator.evaluate(linear).map.map);
  train_step(*tuned, 0);
  tuned->predict(Part::kTrainFile, rows, 0, {found.data(), 4, 3});
  EXPECT_NE(found, expected);
}

TEST(Finetune, UnreadableImagesAndAbsentCardsAreErrors) {
  FinetuneOptions options = small_options();
  const auto model =
      make_finetune_model(random_resnet(18, ResNetVariant::kV1_5), {"/nowhere.jpg"}, {}, options);
  EXPECT_SPML_ERROR(model->forward(std::vector<int32_t>{0}), testing::HasSubstr("row 0"));
  if (torch::cuda::is_available()) GTEST_SKIP() << "there is a card";
  const auto on_a_card = [](const ResNetWeights& weights, const NetworkOptions& network) {
    return make_torch_network(weights, network, "cuda:1");
  };
  EXPECT_SPML_ERROR(make(options, on_a_card), testing::HasSubstr("has no CUDA"));
}

}  // namespace
}  // namespace spml
