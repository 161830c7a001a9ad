// Runs that fine-tune a network, each rank with its part of every batch: what one process makes
// with --accumulate of as many parts, up to rounding.
#include <atomic>
#include <mutex>

#include "base/folders.h"
#include "cluster/thread_cluster.h"
#include "data/dataset.h"
#include "data/synth.h"
#include "formats/npy.h"
#include "formats/safetensors.h"
#include "run/run.h"
#include "testing.h"
#include "vision/finetune_model.h"
#include "vision/image/scene.h"
#include "vision/small_resnet.h"

namespace spml {
namespace {

using testing::HasSubstr;

constexpr int kSize = 32;

// As the program makes it. With a large epsilon Adam's steps follow the gradient; else rounding
// decides where a weight with next to none goes.
std::unique_ptr<Model> make_model(const Dataset& data, const TrainConfig& config,
                                  const LinearStart*, int threads, Cluster* cluster) {
  FinetuneOptions options;
  options.labels = data.labels();
  options.size = kSize;
  options.accumulate = config.image.accumulate;
  options.cluster = cluster;
  options.adam.lr = config.learning_rate();
  options.adam.eps = 100;
  options.threads = threads;
  options.seed = config.seed;
  return make_finetune_model(narrow_resnet(), image_files(data, data.train_file),
                             image_files(data, data.test), options);
}

TrainConfig network_config(const std::string& loss, size_t accumulate = 1) {
  TrainConfig config;
  config.loss = loss;
  config.mode = Mode::kFinetune;
  config.epochs = 1;
  config.batch = 8;
  config.lr = 0.01;
  config.image.accumulate = accumulate;
  config.image.size = kSize;
  return config;
}

class BatchSplit : public testing::Test {
 protected:
  void SetUp() override { data_ = make("data", 0); }

  std::shared_ptr<const Dataset> make(const std::string& name, uint64_t seed) {
    SynthOptions options;
    options.rows = 30;
    options.labels = 4;
    options.seed = seed;
    make_folder(folder_ / name);
    write_synthetic(folder_ / name, options, [](std::span<const int8_t> labels, uint64_t key) {
      return encode_jpeg(draw_scene(labels, kSize, 0, key), 90);
    });
    return std::make_shared<const Dataset>(open_dataset(folder_ / name, {.need_features = false}));
  }
  RunOptions options(const std::string& name) {
    RunOptions options;
    options.out = folder_ / name;
    options.existing = Existing::kResume;
    options.make_image_model = make_model;
    return options;
  }
  // Of as many ranks; 0 = without a cluster.
  RunRecord train(const TrainConfig& config, const RunOptions& options, int ranks,
                  const RunEvents& events = {}) {
    if (ranks == 0) return run_training(*data_, config, options, events);
    RunRecord record;
    run_cluster(ranks, [&](Cluster& cluster) {
      RunOptions mine = options;
      mine.cluster = &cluster;
      RunRecord result = run_training(*data_, config, mine, events);
      if (cluster.is_first()) record = std::move(result);
    });
    return record;
  }
  std::vector<float> tensor(const std::string& run, const std::string& name) {
    return SafetensorsFile(folder_ / run / "model.safetensors").floats(name);
  }
  static double farthest(const std::vector<float>& a, const std::vector<float>& b) {
    EXPECT_EQ(a.size(), b.size());
    double farthest = 0;
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      farthest = std::max(farthest, std::abs(double{a[i]} - b[i]));
    }
    return farthest;
  }
  std::vector<float> estimates(const std::string& run) {
    const NpyArray array(folder_ / run / "estimates.npy");
    const auto view = array.view<float>();
    return {view.data, view.data + view.size()};
  }
  void expect_same_bytes(const std::string& a, const std::string& b) {
    for (const char* file : {"model.safetensors", "estimates.npy", "thresholds.npy",
                             "calibration.json", "train_rows.npy"}) {
      EXPECT_TRUE(read_file(folder_ / a / file) == read_file(folder_ / b / file)) << file;
    }
  }

  TemporaryFolder folder_;
  std::shared_ptr<const Dataset> data_;
};

TEST_F(BatchSplit, GivesTheRunOfOneProcessWithAsManyParts) {
  for (const std::string loss : {"role", "ll-cp"}) {
    for (const int ranks : {1, 2, 3, 4}) {
      if (ranks != 2 && loss != "role") continue;  // the whole batch, at every rank: as with role
      SCOPED_TRACE(loss + " by " + std::to_string(ranks));
      const std::string alone = loss + "-alone" + std::to_string(ranks),
                        shared = loss + "-shared" + std::to_string(ranks);
      const RunRecord expected =
          train(network_config(loss, static_cast<size_t>(ranks)), options(alone), 0);
      const RunRecord record = train(network_config(loss), options(shared), ranks);
      for (const char* name : {"classifier.weight", "backbone.conv1.weight",
                               "backbone.layer4.1.bn2.running_var", "backbone.bn1.running_mean"}) {
        EXPECT_LT(farthest(tensor(alone, name), tensor(shared, name)), 1e-5) << name;
      }
      if (loss == "role") {
        EXPECT_LT(farthest(estimates(alone), estimates(shared)), 1e-5);
      }
      EXPECT_NEAR(record.epochs[0].train_loss, expected.epochs[0].train_loss, 1e-5);
      EXPECT_NEAR(record.epochs[0].khat, expected.epochs[0].khat, 1e-4);
      EXPECT_EQ(record.result.steps, expected.result.steps);
      EXPECT_EQ(record.setup.ranks, ranks > 1 ? std::optional(ranks) : std::nullopt);
      EXPECT_EQ(read_run(folder_ / shared).setup.ranks, record.setup.ranks);
    }
  }
}

TEST_F(BatchSplit, AsManyRanksGiveTheSameBytesAgain) {
  for (const char* name : {"a", "b"}) train(network_config("role"), options(name), 2);
  expect_same_bytes("a", "b");
}

TEST_F(BatchSplit, GoesOnAfterAnInterruption) {
  TrainConfig config = network_config("role");
  config.epochs = 2;
  train(config, options("whole"), 3);
  RunOptions run = options("stopped");
  run.checkpoint_every = 1;
  std::mutex mutex;
  std::string told;
  RunEvents events;
  events.notice = [&](const std::string& text) {
    const std::lock_guard guard(mutex);
    told += text + "\n";
  };
  const auto stop_after = [&](uint64_t steps, int ranks) {
    std::atomic<uint64_t> step = 0;
    RunEvents stopping = events;
    stopping.step = [&](const LoopState& state, uint64_t) { step = state.step; };
    stopping.stop_requested = [&] { return step + 1 >= steps; };
    EXPECT_THROW(train(config, run, ranks, stopping), Error);
  };
  stop_after(2, 3);
  stop_after(5, 3);
  EXPECT_GE(train(config, run, 3, events).result.resumed_from_step, 4u);
  expect_same_bytes("whole", "stopped");
  EXPECT_THAT(told, testing::Not(HasSubstr("other parts")));
  EXPECT_FALSE(std::filesystem::exists(run.out / "checkpoint.safetensors"));

  run.out = folder_ / "others";
  stop_after(2, 3);
  stop_after(4, 2);
  EXPECT_THAT(told, HasSubstr("ranks: 3 so far, 2 now"));
  EXPECT_EQ(train(config, run, 0, events).epochs.size(), 2u);
  EXPECT_THAT(told, HasSubstr("ranks: 2 so far, 1 now"));
}

// Eight rows in parts of two are four.
TEST_F(BatchSplit, SomeRanksMayHaveNoImages) {
  train(network_config("role", 5), options("alone"), 0);
  train(network_config("role"), options("shared"), 5);
  for (const char* name : {"classifier.weight", "backbone.bn1.running_mean"}) {
    EXPECT_LT(farthest(tensor("alone", name), tensor("shared", name)), 1e-5) << name;
  }
}

TEST_F(BatchSplit, OtherSettingsOrDataOfOneRankAreNamed) {
  const auto with = [&](const auto& change) {
    run_cluster(2, [&](Cluster& cluster) {
      TrainConfig config = network_config("an");
      RunOptions run = options("mismatch");
      run.cluster = &cluster;
      std::shared_ptr<const Dataset> data = data_;
      if (cluster.rank() == 1) change(config, data);
      run_training(*data, config, run);
    });
  };
  EXPECT_SPML_ERROR(with([](TrainConfig& config, auto&) { config.image.accumulate = 2; }),
                    HasSubstr("rank 1 has accumulate 2, rank 0 has 1"));
  EXPECT_SPML_ERROR(with([&](TrainConfig&, auto& data) { data = make("other", 5); }),
                    HasSubstr("rank 1 has data_fingerprint"));
}

// A rank that does not see the checkpoint would begin anew beside others that go on.
TEST_F(BatchSplit, ARankWithoutTheCheckpointIsNamed) {
  RunOptions run = options("here");
  run.checkpoint_every = 1;
  RunEvents events;
  events.stop_requested = [] { return true; };
  EXPECT_THROW(train(network_config("an"), run, 2, events), Error);
  EXPECT_SPML_ERROR(run_cluster(2,
                                [&](Cluster& cluster) {
                                  RunOptions mine = run;
                                  mine.cluster = &cluster;
                                  if (cluster.rank() == 1) mine.out = folder_ / "elsewhere";
                                  run_training(*data_, network_config("an"), mine);
                                }),
                    HasSubstr("rank 1 has the step to go on from '0', rank 0 has '1'"));
}

}  // namespace
}  // namespace spml
