// spml train --train-from, run as users run it.
#include <unistd.h>

#include <csignal>

#include "base/folders.h"
#include "cli/training.h"
#include "formats/npy.h"
#include "small_resnet.h"

namespace spml {
namespace {

using testing::HasSubstr;
using testing::Not;

class TrainFromVerbs : public testing::Test {
 protected:
  TrainFromVerbs() {
    save_resnet(random_resnet(18, ResNetVariant::kV1_5), weights_);
    expect_success({"synth", "--out", data_, "--rows", "40", "--labels", "4", "--images",
                    "--image-size", "48"});
  }

  Words train(const std::string& loss, const Path& out, const std::string& from = "layer4",
              const std::string& mode = "finetune") {
    return {"train",     data_, "--mode",       mode, "--loss", loss,   "--weights", weights_,
            "--size",    "32",  "--batch",      "8",  "--lr",   "1e-3", "--epochs",  "2",
            "--threads", "1",   "--train-from", from, "--out",  out};
  }

  TemporaryFolder folder_;
  Path weights_ = folder_ / "w.safetensors", data_ = folder_ / "data", run_ = folder_ / "run";
};

TEST_F(TrainFromVerbs, SaysWhatItKeepsAndRemovesItAtTheEnd) {
  const Ran ran = expect_success(train("an", run_));
  EXPECT_THAT(ran.err, HasSubstr("what the layers below layer4 compute is kept in"));
  EXPECT_THAT(ran.err, HasSubstr("removed at the end"));
  EXPECT_FALSE(std::filesystem::exists(run_ / "activations"));
  EXPECT_EQ(read_json(run_ / "config.json")["config"]["train-from"], "layer4");
}

TEST_F(TrainFromVerbs, ALinkInARunFolderLeadsNowhere) {
  const Path victim = folder_ / "victim", kept = victim / "layer1-old" / "plain.f16";
  make_folder(kept.parent_path());
  write_file(kept, "mine");
  make_folder(run_);
  std::filesystem::create_directory_symlink(victim, run_ / "activations");
  expect_failure(train("an", run_) + Words{"--overwrite"}, 1, "found a symbolic link");
  EXPECT_EQ(read_file(kept), "mine");
}

TEST_F(TrainFromVerbs, AKeptCacheServesOtherRuns) {
  const Path cache = folder_ / "cache";
  const Words kept = {"--cache", cache, "--keep-cache", "--quiet"};
  expect_success(train("an", run_) + kept);
  EXPECT_FALSE(std::filesystem::is_empty(cache));
  expect_success(train("an", folder_ / "again") + kept);
  expect_same_bytes(run_ / "model.safetensors", folder_ / "again" / "model.safetensors");
  expect_success(train("an", folder_ / "last") + Words{"--cache", cache, "--quiet"});
  EXPECT_FALSE(std::filesystem::exists(cache));
  expect_same_bytes(run_ / "model.safetensors", folder_ / "last" / "model.safetensors");
}

// The first kill is as soon as there is something in the cache, the second at the first checkpoint.
TEST_F(TrainFromVerbs, KilledWhileCachingAndTrainingItGoesOnToTheSameBytes) {
  for (const std::string loss : {"an", "role"}) {
    const Path whole = folder_ / ("whole-" + loss), killed = folder_ / ("killed-" + loss);
    expect_success(train(loss, whole) + Words{"--quiet"});
    const Words often = {"--checkpoint-every", "2", "--resume", "--quiet"};
    for (const char* sign : {"activations", "checkpoint.safetensors"}) {
      Running running(train(loss, killed) + often);
      while (!std::filesystem::exists(killed / sign) && !running.ended()) ::usleep(500);
      running.signal(SIGKILL);
      ASSERT_EQ(running.wait().exit_code, 128 + SIGKILL);
    }
    EXPECT_TRUE(std::filesystem::exists(killed / "activations"));
    const Ran rest = expect_success(train(loss, killed) + often + Words{"--json"});
    EXPECT_GT(rest.json()["resumed_from_step"], 0);
    expect_finished(killed, loss == "role" ? "estimates.npy" : "");
    expect_same_run(whole, killed);
    EXPECT_FALSE(std::filesystem::exists(killed / "activations"));
  }
}

TEST_F(TrainFromVerbs, EvaluateAndPredictUseTheRunsOwnNetwork) {
  const Ran ran = expect_success(train("bce", run_, "layer3") + Words{"--json", "--quiet"});
  const Ran test = expect_success({"evaluate", run_, data_, "--split", "test", "--json"});
  EXPECT_EQ(test.json()["map"], ran.json()["test_map"]);
  expect_success({"predict", run_, "--out", folder_ / "p.csv", "--top", "1", "--images",
                  data_ / "images" / "val_000003.jpg"});
  EXPECT_THAT(read_file(folder_ / "p.csv"), HasSubstr("val_000003.jpg,class_"));
}

TEST_F(TrainFromVerbs, FromConv1IsTheWholeNetwork) {
  expect_success(train("an", run_, "conv1") + Words{"--quiet"});
  Words plain = train("an", folder_ / "plain", "conv1") + Words{"--quiet"};
  std::erase(plain, "--train-from");
  std::erase(plain, "conv1");
  expect_success(plain);
  expect_same_run(run_, folder_ / "plain");
  EXPECT_THAT(read_file(run_ / "config.json"), Not(HasSubstr("train-from")));
}

TEST_F(TrainFromVerbs, LinearInitAndSweepsTrainFromALayerToo) {
  expect_success({"extract", data_, "--weights", weights_, "--size", "32"});
  expect_success(train("role", run_, "layer4", "linear-init") + Words{"--quiet"});
  const Path sweep = folder_ / "sweep";
  const auto json =
      expect_success({"sweep",  data_,   "--mode",       "finetune",  "--loss",   "an,bce",
                      "--lr",   "1e-3",  "--batch",      "8",         "--epochs", "1",
                      "--size", "32",    "--train-from", "layer4",    "--quiet",  "--weights",
                      weights_, "--out", sweep,          "--threads", "1",        "--json"})
          .json();
  EXPECT_EQ(json["runs"], 2);
  EXPECT_FALSE(std::filesystem::exists(sweep / "activations"));
}

TEST_F(TrainFromVerbs, NeedsAModeAndALayerThatThereIs) {
  expect_failure({"train", data_, "--loss", "an", "--train-from", "layer4", "--out", run_}, 2,
                 "--train-from requires --mode finetune or linear-init");
  expect_failure(train("an", run_, "layer5"), 2, "layer5");
}

}  // namespace
}  // namespace spml
