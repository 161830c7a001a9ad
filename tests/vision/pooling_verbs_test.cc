// spml extract --pool and what follows it, run as users run them.
#include "cli/training.h"
#include "formats/npy.h"
#include "small_resnet.h"

namespace spml {
namespace {

using testing::HasSubstr;

class PoolingVerbs : public testing::Test {
 protected:
  PoolingVerbs() {
    save_resnet(random_resnet(18, ResNetVariant::kV1_5), weights_);
    expect_success({"synth", "--out", data_, "--rows", "24", "--labels", "3", "--images",
                    "--image-size", "48"});
  }

  Words extract(const Words& more = {}, const std::string& size = "64") {
    return Words{"extract", data_, "--weights", weights_, "--size", size, "--force"} + more;
  }
  Words train(const Path& out) {
    return {"train", data_, "--loss", "an", "--epochs", "2", "--batch", "8", "--out", out};
  }
  std::vector<float> scores(const Words& of) {
    const Path out = folder_ / "scores.npy";
    std::filesystem::remove(out);
    expect_success(Words{"predict", folder_ / "run", "--weights", weights_, "--out", out} + of);
    const NpyArray array(out);
    std::vector<float> values(array.rows() * array.cols());
    for (size_t i = 0; i < array.rows(); ++i) {
      array.read_row(i, std::span(values).subspan(i * array.cols(), array.cols()));
    }
    return values;
  }

  TemporaryFolder folder_;
  Path weights_ = folder_ / "w.safetensors", data_ = folder_ / "data";
};

TEST_F(PoolingVerbs, FeaturesAreAsWideAsThePoolsTogether) {
  const Path file = data_ / "train_features_imagenet_resnet50.npy";
  expect_success(extract());
  const std::string plain = read_file(file);
  expect_success(extract({"--pool", "avg"}));
  EXPECT_TRUE(read_file(file) == plain);
  expect_success(extract({"--pool", "avgmax"}));
  EXPECT_EQ(NpyArray(file).cols(), 1024u);
  const Ran ran = expect_success(extract({"--pool", "avg,max,gem", "--mirror", "--json"}));
  EXPECT_EQ(NpyArray(file).cols(), 1536u);
  EXPECT_EQ(ran.json()["pool"], "avg,max,gem");
  EXPECT_EQ(ran.json()["mirror"], true);
}

TEST_F(PoolingVerbs, SeveralSizesAreWhatEachGivesAlone) {
  const Path file = data_ / "train_features_imagenet_resnet50.npy";
  const auto row = [&] {
    std::vector<float> values(NpyArray(file).cols());
    NpyArray(file).read_row(3, std::span(values));
    return values;
  };
  expect_success(extract({}, "40"));
  auto expected = row();
  expect_success(extract({}, "64"));
  const auto second = row();
  expected.insert(expected.end(), second.begin(), second.end());
  const Ran ran = expect_success(extract({"--json"}, "40,64"));
  EXPECT_EQ(row(), expected);
  EXPECT_EQ(ran.json()["features"], 1024);
  EXPECT_EQ(ran.json()["size"], nlohmann::json({40, 64}));
}

TEST_F(PoolingVerbs, PredictionsFromImagesPoolAsTheFeaturesDid) {
  expect_success(extract(
      {"--pool", "gem,max", "--gem-p", "2.5", "--mirror", "--layers", "layer3,layer4"}, "64,40"));
  const auto origin = nlohmann::json::parse(read_file(data_ / "dataset.json"))["extraction"];
  EXPECT_EQ(origin["pool"], "gem,max");
  EXPECT_EQ(origin["gem_p"], 2.5);
  EXPECT_EQ(origin["mirror"], true);
  EXPECT_EQ(origin["layers"], "layer3,layer4");
  EXPECT_EQ(origin["size"], nlohmann::json({64, 40}));
  EXPECT_EQ(origin["features"], 2 * 2 * (256 + 512));
  expect_success(train(folder_ / "run"));
  const auto from_features = scores({"--data", data_, "--split", "test"});
  const NpyArray names(data_ / "formatted_val_images.npy");
  const auto info = nlohmann::json::parse(read_file(data_ / "dataset.json"));
  Words images{"--images"};
  for (size_t i = 0; i < names.rows(); ++i) {
    images = images + Words{data_ / info.value("image_root", "") / names.text(i)};
  }
  const auto from_images = scores(images);
  ASSERT_EQ(from_images.size(), from_features.size());
  for (size_t i = 0; i < from_images.size(); ++i) {
    EXPECT_NEAR(from_images[i], from_features[i], 1e-5);
  }
}

TEST_F(PoolingVerbs, AKilledRunIsNotContinuedWithAnotherPooling) {
  const auto settings = [&](const Words& more) {
    expect_success(extract(more));
    return nlohmann::json::parse(read_file(data_ / "dataset.json"))["extraction"];
  };
  EXPECT_NE(settings({"--pool", "gem"}), settings({"--pool", "gem", "--gem-p", "4"}));
  EXPECT_FALSE(settings({}).contains("pool"));
}

TEST_F(PoolingVerbs, LinearInitNeedsTheMean) {
  expect_success(extract({"--pool", "gem"}));
  const Ran ran = run_program({"train", data_, "--loss", "an", "--mode", "linear-init", "--weights",
                               weights_, "--size", "64", "--out", folder_ / "run"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.err, HasSubstr("made with --pool gem with p = 3"));
  expect_success(extract({}, "64,40"));
  const Ran sizes = run_program({"train", data_, "--loss", "an", "--mode", "linear-init",
                                 "--weights", weights_, "--size", "64", "--out", folder_ / "run"});
  EXPECT_EQ(sizes.exit_code, 1);
  EXPECT_THAT(sizes.err, HasSubstr("made with --pool avg at 64,40 px"));
}

TEST_F(PoolingVerbs, WrongPoolsAreUsageErrors) {
  for (const Words& wrong : {Words{"--pool", "mean"}, Words{"--pool", "avg,avg"},
                             Words{"--gem-p", "0.5"}, Words{"--layers", "layer5"}}) {
    const Ran ran = run_program(extract(wrong));
    EXPECT_EQ(ran.exit_code, 2) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(wrong.front()));
  }
}

}  // namespace
}  // namespace spml
