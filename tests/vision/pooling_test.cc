#include "vision/pooling.h"

#include <cmath>

#include "base/rng.h"
#include "data/dataset_json.h"
#include "formats/json.h"
#include "small_resnet.h"
#include "testing.h"
#include "vision/inference_plan.h"

namespace spml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr size_t kPositions = 49, kChannels = 37;
constexpr int kPixels = 64;

// As behind a ReLU: about half of it 0, and one channel that is 0 everywhere.
std::vector<float> some_map(double scale = 1) {
  std::vector<float> map(kPositions * kChannels);
  CounterRng random(3, Stream::kSynthetic);
  for (float& x : map) x = static_cast<float>(scale * std::max(0.0, random.normal()));
  for (size_t i = 0; i < kPositions; ++i) map[i * kChannels] = 0;
  return map;
}

// The formula as it is written, in double precision.
double generalised_mean(const std::vector<float>& map, size_t channel, double p) {
  double sum = 0;
  for (size_t i = 0; i < kPositions; ++i) sum += std::pow(double{map[i * kChannels + channel]}, p);
  return std::pow(sum / kPositions, 1 / p);
}

TEST(Pooling, GemIsTheGeneralisedMean) {
  const auto map = some_map();
  std::vector<float> out(kChannels);
  for (const double p : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.3, 20.0}) {
    gem_pool({map.data(), kPositions, kChannels}, p, out.data());
    for (size_t c = 0; c < kChannels; ++c) {
      const double expected = generalised_mean(map, c, p);
      EXPECT_NEAR(out[c], expected, 1e-6 * (1 + expected)) << "p " << p << ", channel " << c;
    }
    EXPECT_EQ(out[0], 0) << p;
  }
}

TEST(Pooling, GemLiesBetweenTheMeanAndTheMaximum) {
  const auto map = some_map();
  const View<const float> view{map.data(), kPositions, kChannels};
  std::vector<float> mean(kChannels), gem(kChannels), largest(kChannels);
  gem_pool(view, 1, mean.data());
  gem_pool(view, 3, gem.data());
  max_pool(view, largest.data());
  for (size_t c = 1; c < kChannels; ++c) {
    EXPECT_LT(mean[c], gem[c]);
    EXPECT_LT(gem[c], largest[c]);
  }
}

TEST(Pooling, GemOfLargeNumbersDoesNotOverflow) {
  const auto map = some_map(1e6);
  std::vector<float> out(kChannels), largest(kChannels);
  gem_pool({map.data(), kPositions, kChannels}, 100, out.data());
  max_pool({map.data(), kPositions, kChannels}, largest.data());
  for (size_t c = 0; c < kChannels; ++c) {
    EXPECT_TRUE(std::isfinite(out[c]));
    EXPECT_LE(out[c], largest[c]);
    EXPECT_GE(out[c], 0.9f * largest[c]);
  }
}

TEST(Pooling, MaximumIsTheLargestOfEachChannel) {
  const auto map = some_map();
  std::vector<float> out(kChannels);
  max_pool({map.data(), kPositions, kChannels}, out.data());
  for (size_t c = 0; c < kChannels; ++c) {
    float expected = 0;
    for (size_t i = 0; i < kPositions; ++i) expected = std::max(expected, map[i * kChannels + c]);
    EXPECT_EQ(out[c], expected);
  }
}

std::vector<float> some_images(size_t count) {
  std::vector<float> images(count * 3 * kPixels * kPixels);
  CounterRng random(4, Stream::kSynthetic);
  for (float& x : images) x = static_cast<float>(random.normal());
  return images;
}

std::vector<float> features(const ResNetWeights& weights, const std::vector<float>& images,
                            const FeaturePooling& pooling) {
  const auto net = make_inference_resnet(weights, 2, pooling);
  const size_t rows = images.size() / (3 * kPixels * kPixels);
  std::vector<float> out(rows * net->features());
  net->run(images, kPixels, {out.data(), rows, net->features()});
  return out;
}

TEST(Pooling, OnePassGivesWhatSeveralGive) {
  const ResNetWeights weights = random_resnet(18, ResNetVariant::kV1_5);
  const size_t D = weights.layout.features;
  const auto images = some_images(3);
  const auto all = features(weights, images, {{Pool::kGem, Pool::kAvg, Pool::kMax}});
  const auto gem = features(weights, images, {{Pool::kGem}});
  const auto mean = features(weights, images, {});
  const auto largest = features(weights, images, {{Pool::kMax}});
  ASSERT_EQ(all.size(), 3 * 3 * D);
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < D; ++j) {
      EXPECT_EQ(all[i * 3 * D + j], gem[i * D + j]);
      EXPECT_EQ(all[i * 3 * D + D + j], mean[i * D + j]);
      EXPECT_EQ(all[i * 3 * D + 2 * D + j], largest[i * D + j]);
    }
  }
}

TEST(Pooling, TheMeanIsThatOfTheMap) {
  const ResNetWeights weights = random_resnet(18, ResNetVariant::kV1_5);
  InferenceWeights packed(weights, dnnl::engine(dnnl::engine::kind::cpu, 0));
  InferencePlan plan(
      weights.layout, packed, kPixels,
      {.outputs = {{.end_block = weights.layout.blocks.size(), .mean = true, .map = true}}});
  const auto image = some_images(1);
  plan.run(image.data());
  const View<const float> map = plan.map(0);
  const std::span<const float> mean = plan.mean(0);
  ASSERT_EQ(map.rows, 4u);
  ASSERT_EQ(map.cols, mean.size());
  for (size_t c = 0; c < mean.size(); ++c) {
    double sum = 0;
    for (size_t i = 0; i < map.rows; ++i) sum += map.row(i)[c];
    EXPECT_NEAR(mean[c], sum / 4, 1e-5 * (1 + sum));
  }
}

// Of a network's layers, from one pass; a layer's own map is what the next one takes.
TEST(Pooling, LowerLayersAreThoseThatTheNextOnesSee) {
  const ResNetWeights weights = random_resnet(18, ResNetVariant::kV1_5);
  const auto images = some_images(2);
  const FeaturePooling two{.pools = {Pool::kAvg, Pool::kMax}, .layers = {2, 4}};
  const auto all = features(weights, images, two);
  const auto last = features(weights, images, {.pools = {Pool::kAvg, Pool::kMax}});
  const MapShape shape = input_of_layer(weights.layout, 3, kPixels);
  const size_t low = 2 * shape.channels, high = 2 * weights.layout.features;
  ASSERT_EQ(all.size(), 2 * (low + high));
  std::vector<float> maps(2 * shape.numbers()), mean(shape.channels), largest(shape.channels);
  make_trunk(weights, 3, 1)->run(images, kPixels, {maps.data(), 2, shape.numbers()});
  for (size_t i = 0; i < 2; ++i) {
    const View<const float> map{&maps[i * shape.numbers()], shape.side * shape.side,
                                shape.channels};
    gem_pool(map, 1, mean.data());
    max_pool(map, largest.data());
    const float* row = &all[i * (low + high)];
    for (size_t c = 0; c < shape.channels; ++c) {
      EXPECT_NEAR(row[c], mean[c], 1e-5 * (1 + mean[c]));
      EXPECT_EQ(row[shape.channels + c], largest[c]);
    }
    for (size_t j = 0; j < high; ++j) EXPECT_EQ(row[low + j], last[i * high + j]);
  }
}

TEST(Pooling, MirroredIsTheMeanOfBothImages) {
  const ResNetWeights weights = random_resnet(18, ResNetVariant::kV1_5);
  const auto images = some_images(2);
  auto mirrored = images;
  for (size_t row = 0; row < mirrored.size() / kPixels; ++row) {
    for (size_t x = 0; x < kPixels; ++x) {
      mirrored[row * kPixels + x] = images[row * kPixels + kPixels - 1 - x];
    }
  }
  const auto one = features(weights, images, {}), other = features(weights, mirrored, {});
  const auto both = features(weights, images, {.mirror = true});
  EXPECT_NE(one, other);
  for (size_t i = 0; i < both.size(); ++i) {
    EXPECT_NEAR(both[i], (double{one[i]} + other[i]) / 2, 1e-6 * (1 + both[i]));
  }
  EXPECT_EQ(features(weights, mirrored, {.mirror = true}), both);
}

TEST(PoolingNames, AreReadAndWritten) {
  EXPECT_THAT(parse_pools("avg", "--pool"), ElementsAre(Pool::kAvg));
  EXPECT_THAT(parse_pools("avgmax", "--pool"), ElementsAre(Pool::kAvg, Pool::kMax));
  EXPECT_THAT(parse_pools("gem,avgmax", "--pool"), ElementsAre(Pool::kGem, Pool::kAvg, Pool::kMax));
  for (const char* text : {"avg", "max", "gem", "avgmax", "max,gem", "gem,avg,max"}) {
    EXPECT_EQ(to_string(parse_pools(text, "--pool")), text);
  }
  for (const char* text : {"", "mean", "avg,", ",avg", "avg max", "AVG"}) {
    EXPECT_SPML_ERROR(parse_pools(text, "--pool"), HasSubstr("--pool: expected avg, max, avgmax"));
  }
  EXPECT_SPML_ERROR(parse_pools("avgmax,max", "--pool"), HasSubstr("found max twice"));
}

TEST(ExtractionFlags, LayersAndSizesAreReadBack) {
  for (const char* text : {"layer4", "layer1,layer3", "layer1,layer2,layer3,layer4"}) {
    EXPECT_EQ(layers_text(parse_layers(text, "--layers")), text);
  }
  for (const char* text : {"", "layer5", "layer0", "layer4,", "layer4,layer3", "layer4,layer4"}) {
    EXPECT_SPML_ERROR(parse_layers(text, "--layers"),
                      HasSubstr("--layers: expected layer1 to layer4"));
  }
  for (const char* text : {"448", "224,448", "640,448,224"}) {
    EXPECT_EQ(sizes_text(parse_sizes(text, "--size")), text);
  }
  for (const char* text : {"", "31", "4097", "448,", "448.0", "4e2", "-448", "99999999999"}) {
    EXPECT_SPML_ERROR(parse_sizes(text, "--size"),
                      HasSubstr("--size: expected a number of pixels from 32 to 4096"));
  }
  EXPECT_SPML_ERROR(parse_sizes("448,448", "--size"), HasSubstr("each once"));
  EXPECT_SPML_ERROR(parse_sizes("32,33,34,35,36,37,38,39,40", "--size"), HasSubstr("up to 8"));
}

FeatureOrigin through_json(const FeatureOrigin& origin) {
  return parse_feature_origin(nlohmann::json::parse(to_json(origin).dump()), "here");
}

TEST(PoolingRecord, ComesBackAsItWas) {
  FeatureOrigin origin{{"w", "abc", "resnet50", "v1"}, {448}, {}};
  EXPECT_EQ(through_json(origin), origin);
  EXPECT_FALSE(to_json(origin).contains("pool"));  // as earlier versions wrote it
  origin.pooling = {{Pool::kGem, Pool::kMax}, 2.5, true};
  EXPECT_EQ(through_json(origin), origin);
  EXPECT_EQ(to_json(origin)["gem_p"], 2.5);
  origin.pooling = {{Pool::kMax}};
  EXPECT_EQ(through_json(origin), origin);
  EXPECT_FALSE(to_json(origin).contains("gem_p"));
  EXPECT_FALSE(to_json(origin).contains("layers"));
  EXPECT_EQ(to_json(origin)["size"], 448);
  origin.pooling.layers = {3, 4};
  origin.sizes = {448, 224};
  EXPECT_EQ(through_json(origin), origin);
  EXPECT_EQ(to_json(origin)["size"], nlohmann::json({448, 224}));
}

TEST(PoolingRecord, IsCheckedWhenRead) {
  nlohmann::json json = nlohmann::json::parse(
      to_json(FeatureOrigin{{"w", "abc", "resnet50", "v1"}, {448}, {}}).dump());
  const auto expect_error = [&](const char* key, const nlohmann::json& value, const char* text) {
    nlohmann::json wrong = json;
    wrong[key] = value;
    EXPECT_SPML_ERROR(parse_feature_origin(wrong, "here"), HasSubstr(text));
  };
  expect_error("pool", "mean", "here: 'pool': expected avg");
  expect_error("pool", 3, "expected 'pool' to be text");
  expect_error("gem_p", 0.5, "expected 'gem_p' to be a number from 1 to 100, found 0.5");
  expect_error("gem_p", "3", "expected 'gem_p'");
  expect_error("layers", "layer9", "here: 'layers': expected layer1 to layer4");
  expect_error("layers", nlohmann::json::array(), "expected 'layers' to be text");
  for (const auto& sizes : {nlohmann::json::array(), nlohmann::json({448, "224"}),
                            nlohmann::json({448, 0}), nlohmann::json({448, 4097}),
                            nlohmann::json(std::vector<int>(9, 448)), nlohmann::json("448")}) {
    expect_error("size", sizes, "expected 'extraction' to have a 'size' from 1 to 4096");
  }
  expect_error("mirror", 1, "expected 'mirror' to be true or false");
}

}  // namespace
}  // namespace spml
