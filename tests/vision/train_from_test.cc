// Training from a layer on, beside training everything.
#include "finetune.h"
#include "vision/network_inputs.h"

namespace spml {
namespace {

bool learns(const std::string& name, int first_layer) {
  return name.starts_with("classifier") || name >= fmt::format("backbone.layer{}", first_layer);
}

FinetuneOptions options_from(int layer) {
  FinetuneOptions options = small_options();
  options.first_layer = layer;
  options.freeze_bn = true;  // so that the whole network below is the folded one as well
  return options;
}

// Random images: for the trunk as planes, for training with channels last.
struct Images {
  Images() : planes(kBatch * 3 * kSize * kSize), channels_last(planes.size()) {
    CounterRng random(7, Stream::kSynthetic);
    for (float& x : planes) x = static_cast<float>(random.normal());
    const size_t n = size_t{kSize} * kSize;
    for (size_t i = 0; i < planes.size(); ++i) {
      const size_t b = i / (3 * n), c = i / n % 3, pixel = i % n;
      channels_last[(b * n + pixel) * 3 + c] = planes[i];
    }
  }
  std::vector<float> planes, channels_last;
};

// One step of a network, from images or from what goes into its first layer.
std::vector<std::vector<float>> weights_after_a_step(const ResNetWeights& weights, int first_layer,
                                                     std::span<const float> inputs) {
  FinetuneOptions options = options_from(first_layer);
  options.head_weight.assign(kLabels * weights.layout.features, 0.01f);
  options.head_bias.assign(kLabels, 0.0f);
  const auto net = make_cpu_network(weights, options);
  net->forward(inputs, kBatch, true);
  const auto gradient = some_gradient(1);
  net->backward({gradient.data(), kBatch, kLabels});
  net->step(options.adam, 1);
  std::vector<std::vector<float>> values;
  for (size_t i = 0; i < net->tensors().size(); ++i) {
    values.push_back(net->get(i, TrainableNetwork::State::kValue));
  }
  return values;
}

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += std::pow(double{a[i]} - b[i], 2);
  return std::sqrt(sum);
}

// With batch normalisation frozen, the gradient of a layer does not depend on whether those below
// it learn.
TEST(TrainFrom, TheFirstStepIsThatOfTheWholeNetwork) {
  const ResNetWeights weights = random_resnet(18, ResNetVariant::kV1_5);
  FinetuneOptions options = options_from(0);
  options.head_weight.assign(kLabels * weights.layout.features, 0.01f);
  options.head_bias.assign(kLabels, 0.0f);
  const auto start = make_cpu_network(weights, options);
  const Images images;
  const auto whole = weights_after_a_step(weights, 0, images.channels_last);
  for (int layer = 1; layer <= 4; ++layer) {
    const size_t n = input_of_layer(weights.layout, layer, kSize).numbers();
    std::vector<float> maps(kBatch * n);
    make_trunk(weights, layer, 1)->run(images.planes, kSize, {maps.data(), kBatch, n});
    const auto part = weights_after_a_step(weights, layer, maps);
    for (size_t i = 0; i < part.size(); ++i) {
      const std::string& name = start->tensors()[i].name;
      const auto before = start->get(i, TrainableNetwork::State::kValue);
      if (learns(name, layer)) {
        EXPECT_LE(distance(part[i], whole[i]), 1e-3 * distance(whole[i], before))
            << name << " from layer" << layer;
      } else {
        EXPECT_EQ(part[i], before) << name << " from layer" << layer;
      }
    }
  }
}

TEST(TrainFrom, BatchStatisticsMoveOnlyWhereItLearns) {
  FinetuneOptions options = options_from(3);
  options.freeze_bn = false;
  const auto model = make(options);
  const SavedModel before(*model);
  train_step(*model, 1);
  const SavedModel after(*model);
  for (const ConvLayout& c : resnet_layout(18, ResNetVariant::kV1_5).convolutions()) {
    const std::string name = "backbone." + c.bn + ".running_mean";
    EXPECT_EQ(before[name] == after[name], !learns(name, 3)) << name;
  }
}

TEST(TrainFrom, TheCacheChangesNothing) {
  const TemporaryFolder folder;
  const auto steps = [](const FinetuneOptions& options) {
    const auto model = make(options);
    for (uint64_t step = 1; step <= 4; ++step) train_step(*model, step);
    return SavedModel(*model).bytes();
  };
  FinetuneOptions options = options_from(4);
  options.freeze_bn = false;
  const std::string without = steps(options);
  options.cache = folder / "cache";
  options.weights_sha256 = "0123456789abcdef0123";
  EXPECT_TRUE(steps(options) == without);  // as it is filled
  EXPECT_TRUE(std::filesystem::exists(folder / "cache/layer4-48px-0123456789abcdef/plain.f16"));
  EXPECT_TRUE(steps(options) == without);  // as it is read
}

TEST(TrainFrom, PredictionsAreThoseOfTheWholeNetwork) {
  std::vector<float> whole(4 * kLabels), part(4 * kLabels), test(4 * kLabels);
  make(options_from(0))->predict(Part::kTrainFile, kRows, 0, {whole.data(), 4, kLabels});
  for (int layer = 1; layer <= 4; ++layer) {
    const auto model = make(options_from(layer));
    model->predict(Part::kTrainFile, kRows, 0, {part.data(), 4, kLabels});
    EXPECT_LT(largest_difference(part, whole), 5e-3) << layer;  // float16 in between
    model->predict(Part::kTest, kRows, 0, {test.data(), 4, kLabels});
    EXPECT_EQ(test, whole) << layer;
  }
}

TEST(TrainFrom, MirrorImagesHaveMapsOfTheirOwn) {
  const ResNetWeights weights = random_resnet(18, ResNetVariant::kV1_5);
  const auto inputs = make_map_inputs(
      weights, image_list(), {.layer = 2, .size = kSize, .cache = {}, .weights_sha256 = {}});
  const size_t n = input_of_layer(weights.layout, 2, kSize).numbers();
  ASSERT_EQ(inputs->numbers(), n);
  std::vector<float> plain(2 * n), mirrored(2 * n);
  const std::vector<int32_t> rows{0, 1};
  inputs->load(rows, {false, false}, plain);
  inputs->load(rows, {true, false}, mirrored);
  const auto second = [&](const std::vector<float>& maps) {
    return std::vector<float>(maps.begin() + static_cast<ptrdiff_t>(n), maps.end());
  };
  EXPECT_NE(plain, mirrored);
  EXPECT_EQ(second(plain), second(mirrored));
}

TEST(TrainFrom, LayersHaveTheInputsTheNetworkGivesThem) {
  const auto net = resnet_layout(50, ResNetVariant::kV1);
  const auto side = [&](int layer, int size) { return input_of_layer(net, layer, size).side; };
  EXPECT_EQ(side(1, 224), 56u);
  EXPECT_EQ(side(4, 224), 14u);
  EXPECT_EQ(side(4, 448), 28u);
  EXPECT_EQ(side(3, 225), 29u);
  EXPECT_EQ(input_of_layer(net, 4, 224).channels, 1024u);
  EXPECT_EQ(input_of_layer(net, 1, 224).channels, 64u);
  for (int layer = 0; layer <= 4; ++layer) {
    const std::string name = layer == 0 ? "conv1" : "layer" + std::to_string(layer);
    EXPECT_EQ(layer_number(name), layer);
  }
}

}  // namespace
}  // namespace spml
