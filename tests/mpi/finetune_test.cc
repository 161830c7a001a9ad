// Fine-tuning under mpirun, each rank with its part of every batch.
#include <signal.h>

#include <chrono>
#include <thread>

#include "formats/safetensors.h"
#include "ranks.h"
#include "vision/small_resnet.h"

namespace spml {
namespace {

using testing::HasSubstr;

class MpiFinetune : public Mpi {
 protected:
  void SetUp() override {
    save_resnet(random_resnet(18, ResNetVariant::kV1_5), weights_);
    expect_success({"synth", "--out", data_, "--rows", "40", "--labels", "4", "--images",
                    "--image-size", "32"});
  }

  Words train(const std::string& loss, const std::string& out,
              const std::string& mode = "finetune") const {
    return {"train",    data_,    "--mode",    mode,      "--loss", loss,     "--weights",
            weights_,   "--size", "32",        "--batch", "8",      "--lr",   "1e-3",
            "--epochs", "2",      "--threads", "1",       "--out",  path(out)};
  }
  void expect_same_model(const std::string& a, const std::string& b) const {
    for (const char* name : {"model.safetensors", "thresholds.npy", "estimates.npy"}) {
      expect_same_bytes(Path(path(a)) / name, Path(path(b)) / name);
    }
  }
  double first_loss(const std::string& run) const {
    return read_lines(Path(path(run)) / "metrics.jsonl").at(0)["train_loss"];
  }

  const std::string data_ = path("data"), weights_ = path("w.safetensors");
};

// The parts are the same, so the first epoch is; what rounding does later is tested with ranks that
// are threads (tests/cluster), where the optimiser's epsilon can be chosen.
TEST_F(MpiFinetune, IsOneProcessWithAsManyPartsAndRepeats) {
  save_resnet(narrow_resnet(), weights_);
  for (const int ranks : {2, 3}) {
    const std::string number = std::to_string(ranks), one = "one" + number, first = "a" + number;
    expect_success(train("role", one) + Words{"--accumulate", number});
    for (const std::string& out : {first, "b" + number}) {
      const Ran ran = run_ranks(ranks, train("role", out));
      EXPECT_EQ(ran.exit_code, 0) << ran.err;
      EXPECT_THAT(ran.out, testing::StartsWith("loss role"));
      EXPECT_EQ(ran.out.find("loss role", 1), std::string::npos) << ran.out;  // once
    }
    expect_same_model(first, "b" + number);
    EXPECT_NEAR(first_loss(one), first_loss(first), 1e-3);
    EXPECT_EQ(read_json(Path(path(first)) / "config.json")["ranks"], ranks);
  }
}

TEST_F(MpiFinetune, ALayerOnAndLinearInitWork) {
  expect_success({"extract", data_, "--weights", weights_, "--size", "32"});
  const Words from = {"--train-from", "layer4"};
  for (const char* out : {"a", "b"}) {
    const Ran ran = run_ranks(2, train("role", out, "linear-init") + from);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    const size_t told = ran.err.find("is kept in");
    EXPECT_NE(told, std::string::npos) << ran.err;
    EXPECT_EQ(ran.err.find("is kept in", told + 1), std::string::npos) << ran.err;  // once
    EXPECT_FALSE(std::filesystem::exists(Path(path(out)) / "activations"));
  }
  expect_same_model("a", "b");
  // The linear phase has the bytes of one process, dealt out to the ranks.
  expect_success(train("role", "alone", "linear-init") + from + Words{"--accumulate", "2"});
  const std::string best =
      read_json(Path(path("alone")) / "linear" / "best.json")["best"]["role"]["run"];
  expect_same_bytes(Path(path("alone")) / "linear" / best / "model.safetensors",
                    Path(path("a")) / "linear" / best / "model.safetensors");
  EXPECT_NEAR(first_loss("alone"), first_loss("a"), 1e-3);
}

TEST_F(MpiFinetune, AKilledRankEndsAllAndTheRunGoesOn) {
  EXPECT_EQ(run_ranks(2, train("role", "whole")).exit_code, 0);
  for (const size_t victim : {0, 1}) {
    const std::string name = "run" + std::to_string(victim), out = path(name);
    const Words command = train("role", name) + Words{"--resume", "--checkpoint-every", "2"};
    Running job(SPML_MPIRUN, under_mpirun(2, command));
    while (!std::filesystem::exists(out + "/checkpoint.safetensors") && !job.ended()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::vector<pid_t> ranks = processes_with(out);
    if (ranks.size() == 2) {  // else it was over first
      std::sort(ranks.begin(), ranks.end());
      ::kill(ranks[victim], SIGKILL);
      const Ran ran = job.wait();
      EXPECT_NE(ran.exit_code, 0);
      EXPECT_THAT(lines_of_spml(ran.err), testing::ElementsAre(HasSubstr("another rank has ended")))
          << ran.err;
      EXPECT_TRUE(processes_with(out).empty());
    }
    const Ran rest = run_ranks(2, command);
    EXPECT_EQ(rest.exit_code, 0) << rest.err;
    expect_same_model("whole", name);
  }
}

TEST_F(MpiFinetune, AnUnreadableImageOfOneRankIsSaidOnce) {
  for (const auto& entry : std::filesystem::directory_iterator(Path(data_) / "images")) {
    if (entry.path().filename().string().starts_with("train_00001")) {
      write_file(entry.path(), "no picture");
    }
  }
  expect_one_line(run_ranks(2, train("an", "run") + Words{"--quiet"}), 1, "of the training file)");
}

TEST_F(MpiFinetune, TwoHostsExtractAndFineTuneToTheBytesOfOneMachine) {
  const Words extract = {"extract", data_, "--weights", weights_, "--size", "32", "--force"};
  const Path features = Path(data_) / "train_features_imagenet_resnet50.npy";
  expect_success(extract);
  const std::string expected = read_file(features);
  std::filesystem::remove(features);
  on_two_hosts(extract);
  if (IsSkipped()) return;
  EXPECT_TRUE(read_file(features) == expected);
  EXPECT_EQ(run_ranks(2, train("role", "machine")).exit_code, 0);
  on_two_hosts(train("role", "hosts"));
  expect_same_model("machine", "hosts");
}

}  // namespace
}  // namespace spml
