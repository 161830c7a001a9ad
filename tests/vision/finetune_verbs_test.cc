// From `spml synth --images` to a fine-tuned run and its predictions, run as users run them.
#include <unistd.h>

#include <csignal>

#include "cli/training.h"
#include "formats/npy.h"
#include "loss/info.h"
#include "small_resnet.h"

namespace spml {
namespace {

class FinetuneVerbs : public testing::Test {
 protected:
  FinetuneVerbs() {
    save_resnet(random_resnet(18, ResNetVariant::kV1_5), weights_);
    expect_success({"synth", "--out", data_, "--rows", "40", "--labels", "4", "--images",
                    "--image-size", "48"});
  }

  // One thread: others would wait for each other more than they compute.
  Words train(const std::string& loss, const Path& out, const std::string& mode = "finetune",
              const std::string& epochs = "2", const std::string& lr = "1e-3",
              const std::string& size = "32") {
    return {"train",    data_,    "--mode",    mode,      "--loss", loss,   "--weights",
            weights_,   "--size", size,        "--batch", "8",      "--lr", lr,
            "--epochs", epochs,   "--threads", "1",       "--out",  out};
  }
  void extract(const std::string& size = "32") {
    expect_success({"extract", data_, "--weights", weights_, "--size", size, "--force"});
  }

  TemporaryFolder folder_;
  Path weights_ = folder_ / "w.safetensors", data_ = folder_ / "data", run_ = folder_ / "run";
};

std::vector<float> read_matrix(const Path& path) {
  const NpyArray array(path);
  std::vector<float> values(array.rows() * array.cols());
  for (size_t i = 0; i < array.rows(); ++i) {
    array.read_row(i, std::span(values).subspan(i * array.cols(), array.cols()));
  }
  return values;
}

TEST_F(FinetuneVerbs, EveryLossTrainsThroughTheSameBridge) {
  save_resnet(narrow_resnet(), weights_);
  for (const LossInfo* info : all_losses()) {
    const LossInfo& loss = *info;
    const std::string name(loss.name);
    const Path out = folder_ / name;
    const Ran ran = expect_success(train(name, out, "finetune", "1") +
                                   Words{"--subsample", "0.25", "--json", "--quiet"});
    EXPECT_EQ(ran.json()["mode"], "finetune") << name;
    EXPECT_EQ(std::filesystem::exists(out / "estimates.npy"), loss.uses_estimates) << name;
  }
}

TEST_F(FinetuneVerbs, ANetworkLargerThanMemoryIsRefused) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer itself needs more memory than the limit allows";
#endif
  expect_failure(train("an", run_, "finetune", "1", "1e-3", "1024") + Words{"--max-memory", "1G"},
                 1, "training at 1024 pixels, 8 images at a time needs");
}

TEST_F(FinetuneVerbs, TrainingRowsAreLearnt) {
  const auto train_map = [&](const char* lr, const char* epochs, const Path& out) {
    return expect_success(train("bce", out, "finetune", epochs, lr) + Words{"--json", "--quiet"})
        .json()["train_map"]
        .get<double>();
  };
  const double untrained = train_map("1e-12", "1", folder_ / "a");
  const double trained = train_map("1e-3", "12", folder_ / "b");
  EXPECT_GT(trained, untrained + 15);
}

TEST_F(FinetuneVerbs, AKilledRunGoesOnToTheSameBytes) {
  for (const std::string loss : {"an", "role"}) {
    const Path whole = folder_ / ("whole-" + loss), killed = folder_ / ("killed-" + loss);
    expect_success(train(loss, whole) + Words{"--quiet"});
    const Words often = {"--checkpoint-every", "2", "--resume", "--quiet"};
    Running running(train(loss, killed) + often);
    while (!std::filesystem::exists(killed / "checkpoint.safetensors") && !running.ended()) {
      ::usleep(500);
    }
    running.signal(SIGKILL);
    ASSERT_EQ(running.wait().exit_code, 128 + SIGKILL);
    const Ran rest = expect_success(train(loss, killed) + often + Words{"--json"});
    EXPECT_GT(rest.json()["resumed_from_step"], 0);
    expect_finished(killed, loss == "role" ? "estimates.npy" : "");
    expect_same_run(whole, killed);
  }
}

TEST_F(FinetuneVerbs, EvaluateAndPredictUseTheRunsOwnNetwork) {
  const Ran ran = expect_success(train("an", run_) + Words{"--json", "--quiet"});
  const Ran evaluated = expect_success({"evaluate", run_, data_, "--split", "val", "--json"});
  EXPECT_EQ(evaluated.json()["map"], ran.json()["val_map"]);
  expect_success({"predict", run_, "--data", data_, "--out", folder_ / "data.npy"});
  // The test rows' images in the order of their names are all that starts with val_.
  std::filesystem::create_directory(folder_ / "pictures");
  for (const auto& entry : std::filesystem::directory_iterator(data_ / "images")) {
    const std::string name = entry.path().filename();
    if (name.starts_with("val_")) {
      std::filesystem::copy_file(entry.path(), folder_ / "pictures" / name);
    }
  }
  expect_success(
      {"predict", run_, "--out", folder_ / "images.npy", "--images", folder_ / "pictures"});
  EXPECT_EQ(read_matrix(folder_ / "images.npy"), read_matrix(folder_ / "data.npy"));
  expect_failure({"predict", run_, "--weights", weights_, "--out", folder_ / "x.npy", "--images",
                  folder_ / "pictures"},
                 2, "its own network");
  expect_success({"predict", run_, "--out", folder_ / "p.csv", "--top", "1", "--images",
                  folder_ / "pictures" / "val_000003.jpg"});
  EXPECT_THAT(read_file(folder_ / "p.csv"), testing::HasSubstr("val_000003.jpg,class_"));
}

TEST_F(FinetuneVerbs, LinearRunsScoreImagesWithTheNetworkOfTheirFeatures) {
  extract();
  expect_success({"train", data_, "--loss", "an", "--epochs", "2", "--out", run_, "--quiet"});
  expect_success({"predict", run_, "--data", data_, "--out", folder_ / "data.npy"});
  const Words images = {"predict",
                        run_,
                        "--images",
                        data_ / "images" / "val_000000.jpg",
                        data_ / "images" / "val_000001.jpg",
                        "--out"};
  expect_success(images + Words{folder_ / "i.npy", "--weights", weights_});
  std::vector<float> expected = read_matrix(folder_ / "data.npy");
  expected.resize(2 * 4);
  EXPECT_EQ(read_matrix(folder_ / "i.npy"), expected);
  save_resnet(random_resnet(18, ResNetVariant::kV1), folder_ / "other.safetensors");
  expect_failure(images + Words{folder_ / "o.npy", "--weights", folder_ / "other.safetensors"}, 1,
                 "expected the network its features were made with");
}

TEST_F(FinetuneVerbs, RunsOnFeaturesOfUnknownOriginCannotScoreImages) {
  const Path features = folder_ / "features";
  make_data(features);
  expect_success({"train", features, "--loss", "an", "--epochs", "1", "--out", run_, "--quiet"});
  expect_failure({"predict", run_, "--images", data_ / "images" / "val_000000.jpg", "--out",
                  folder_ / "p.npy", "--weights", weights_},
                 1, "does not say which network made its features");
}

TEST_F(FinetuneVerbs, LinearInitTrainsTheLinearPhaseItself) {
  extract();
  const Ran ran = expect_success(train("role", run_, "linear-init") + Words{"--json", "--quiet"});
  EXPECT_EQ(ran.json()["mode"], "linear-init");
  const auto best = read_json(run_ / "linear" / "best.json")["best"]["role"];
  EXPECT_EQ(best["mode"], "linear");
  // Given, the same linear runs lead to the same model.
  const Path given = folder_ / "given";
  expect_success(train("role", given, "linear-init") + Words{"--init", run_ / "linear", "--quiet"});
  expect_same_bytes(run_ / "model.safetensors", given / "model.safetensors");
  expect_same_bytes(run_ / "estimates.npy", given / "estimates.npy");
}

TEST_F(FinetuneVerbs, LinearInitCarriesTheEstimatesOver) {
  extract();
  const Path linear = folder_ / "linear";
  expect_success({"train", data_, "--loss", "role", "--batch", "8", "--out", linear, "--quiet"});
  // With next to no learning rate the estimates stay where they start.
  expect_success(train("role", run_, "linear-init", "1", "1e-12") +
                 Words{"--init", linear, "--quiet"});
  const auto before = read_matrix(linear / "estimates.npy"),
             after = read_matrix(run_ / "estimates.npy");
  ASSERT_EQ(before.size(), after.size());
  for (size_t i = 0; i < before.size(); ++i) ASSERT_NEAR(before[i], after[i], 2e-5);
}

TEST_F(FinetuneVerbs, LinearInitRefusesAnotherLossSizeOrSplit) {
  extract();
  const Path linear = folder_ / "linear";
  expect_success({"train", data_, "--loss", "an", "--batch", "8", "--out", linear, "--quiet"});
  const Words from = {"--init", linear, "--quiet"};
  expect_failure(train("role", run_, "linear-init") + from, 1,
                 "expected a linear run of loss 'role'");
  expect_failure(train("an", run_, "linear-init", "1", "1e-3", "48") + from + Words{"--resume"}, 1,
                 "at 32 px, but ");
  expect_failure(train("an", run_, "linear-init") + from + Words{"--resume", "--split-seed", "1"},
                 1, "same split");
  expect_failure(train("an", run_) + from + Words{"--resume"}, 2,
                 "--init requires --mode linear-init");
}

TEST_F(FinetuneVerbs, FlagsOfImagesNeedAMode) {
  expect_failure({"train", data_, "--loss", "an", "--size", "64", "--out", run_}, 2,
                 "--size requires --mode finetune or linear-init");
  expect_failure(train("an", run_) + Words{"--accumulate", "9"}, 2,
                 "must not exceed the batch size");
  expect_failure(train("an", run_) + Words{"--device", "toaster", "--quiet"}, 2,
                 "--device: expected auto, cpu, cuda or cuda:N, found 'toaster'");
  expect_failure({"train", data_, "--loss", "an", "--out", run_}, 1, "spml extract");
}

TEST_F(FinetuneVerbs, ThePapersSettingsAreAPreset) {
  const auto recipe = [&](const std::string& name, const Words& flags) {
    expect_success(train("an", folder_ / name, "finetune", "1") + flags +
                   Words{"--subsample", "0.25", "--quiet"});
    const auto config = read_json(folder_ / name / "config.json")["config"];
    return nlohmann::json{config["schedule"], config["warmup"], config["head-lr-factor"],
                          config["freeze-bn"]};
  };
  EXPECT_EQ(recipe("ours", {}), R"(["cosine", 0.1, 100.0, true])"_json);
  EXPECT_EQ(recipe("paper", {"--preset", "paper-finetune"}),
            R"(["constant", 0.0, 1.0, false])"_json);
  EXPECT_EQ(recipe("mixed", {"--preset", "paper-finetune", "--freeze-bn", "--warmup", "0.5"}),
            R"(["constant", 0.5, 1.0, true])"_json);
  EXPECT_EQ(recipe("trained", {"--freeze-bn=false"}), R"(["cosine", 0.1, 100.0, false])"_json);
  expect_failure({"train", data_, "--loss", "an", "--freeze-bn", "--out", run_}, 2,
                 "--freeze-bn requires --mode finetune or linear-init");
}

TEST_F(FinetuneVerbs, ASweepFineTunes) {
  const Words sweep = {"sweep",  data_,    "--mode",    "finetune",  "--loss",   "an,an-ls",
                       "--lr",   "1e-3",   "--batch",   "8",         "--epochs", "1",
                       "--size", "32",     "--quiet",   "--weights", weights_,   "--out",
                       run_,     "--json", "--threads", "1"};
  const auto json = expect_success(sweep).json();
  EXPECT_EQ(json["runs"], 2);
  EXPECT_EQ(json["best"]["an-ls"]["mode"], "finetune");
}

TEST(SynthImages, AreTheSameForTheSameSeedAndShowTheirLabels) {
  TemporaryFolder folder;
  const Words synth = {"synth", "--rows", "6", "--labels", "5", "--images", "--out"};
  expect_success(synth + Words{folder / "a", "--threads", "1"});
  expect_success(synth + Words{folder / "b", "--threads", "2"});
  expect_success(synth + Words{folder / "c", "--seed", "1"});
  const auto image = [&](const char* name) {
    return read_file(folder / name / "images" / "train_000004.jpg");
  };
  EXPECT_TRUE(image("a") == image("b"));
  EXPECT_FALSE(image("a") == image("c"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a" / "train_features_imagenet_resnet50.npy"));
}

}  // namespace
}  // namespace spml
