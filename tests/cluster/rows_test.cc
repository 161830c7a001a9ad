// Training on rows of which each rank has its own: what one process makes of all rows, up to
// rounding where gradients are summed in every step.
#include <atomic>
#include <cmath>

#include "base/folders.h"
#include "cluster/thread_cluster.h"
#include "data/dataset.h"
#include "data/synth.h"
#include "fit/row_share.h"
#include "formats/npy.h"
#include "formats/safetensors.h"
#include "run/run.h"
#include "testing.h"

namespace spml {
namespace {

using testing::HasSubstr;

TrainConfig rows_config(const std::string& loss, const std::string& sync = "1") {
  TrainConfig config;
  config.loss = loss;
  config.epochs = 1;
  config.batch = 8;
  config.lr = 0.01;
  config.shard_by = "rows";
  config.sync_every = sync;
  return config;
}

RunRecord train_rows(const std::vector<std::shared_ptr<const Dataset>>& data, bool is_apart,
                     const TrainConfig& config, const RunOptions& options, int ranks,
                     const RunEvents& events = {}) {
  RunRecord record;
  run_cluster(ranks, [&](Cluster& cluster) {
    const auto& mine = data[is_apart ? static_cast<size_t>(cluster.rank()) : 0];
    const RowShare share = share_rows(mine, config, cluster, is_apart, 1, {});
    RunOptions run = options;
    run.cluster = &cluster;
    run.rows = &share;
    RunRecord result = run_training(*share.data, config, run, events);
    if (cluster.is_first()) record = std::move(result);
  });
  return record;
}

class RowSplit : public testing::Test {
 protected:
  void SetUp() override { data_ = make("data", 150); }

  std::shared_ptr<const Dataset> make(const std::string& name, size_t rows) {
    SynthOptions options;
    options.rows = rows;
    options.labels = 7;
    options.features = 12;
    make_folder(folder_ / name);
    write_synthetic(folder_ / name, options);
    return std::make_shared<const Dataset>(open_dataset(folder_ / name, {.need_features = true}));
  }
  RunOptions options(const std::string& name) {
    RunOptions options;
    options.out = folder_ / name;
    options.existing = Existing::kResume;
    return options;
  }
  RunRecord alone(TrainConfig config, const std::string& name) {
    config.shard_by = "labels";
    config.sync_every = "1";
    return run_training(*data_, config, options(name));
  }
  RunRecord shared(const TrainConfig& config, const std::string& name, int ranks) {
    return train_rows({data_}, false, config, options(name), ranks);
  }
  std::vector<float> weights(const std::string& name) {
    const SafetensorsFile file(folder_ / name / "model.safetensors");
    const auto bytes = file.tensor("classifier.weight").bytes;
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  static double farthest(const std::vector<float>& a, const std::vector<float>& b) {
    EXPECT_EQ(a.size(), b.size());
    double farthest = 0;
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      farthest = std::max(farthest, std::abs(static_cast<double>(a[i]) - b[i]));
    }
    return farthest;
  }
  std::vector<float> estimates(const std::string& name) {
    const NpyArray array(folder_ / name / "estimates.npy");
    const auto view = array.view<float>();
    return {view.data, view.data + view.size()};
  }

  TemporaryFolder folder_;
  std::shared_ptr<const Dataset> data_;
};

TEST_F(RowSplit, SummedGradientsGiveTheModelOfOneProcessUpToRounding) {
  for (const std::string loss :
       {"an", "role", "epr", "pr", "wan-sampled", "asl", "em", "role+pr", "bce"}) {
    SCOPED_TRACE(loss);
    const RunRecord expected = alone(rows_config(loss), loss);
    for (const int ranks : {1, 2, 3, 4}) {
      SCOPED_TRACE(ranks);
      const std::string name = loss + std::to_string(ranks);
      const RunRecord record = shared(rows_config(loss), name, ranks);
      EXPECT_LT(farthest(weights(loss), weights(name)), 1e-5);
      EXPECT_NEAR(record.epochs[0].train_loss, expected.epochs[0].train_loss, 1e-5);
      EXPECT_NEAR(record.result.val_map, expected.result.val_map, 0.2);
      EXPECT_EQ(record.result.steps, expected.result.steps);
      EXPECT_EQ(record.setup.rows.train, expected.setup.rows.train);
      EXPECT_NEAR(*record.result.k, *expected.result.k, 1e-12);
      EXPECT_EQ(record.result.k_from, expected.result.k_from);
      if (!expected.epochs[0].khat_estimates) continue;
      EXPECT_NEAR(*record.epochs[0].khat_estimates, *expected.epochs[0].khat_estimates, 1e-4);
      EXPECT_LT(farthest(estimates(loss), estimates(name)), 1e-5);
      EXPECT_TRUE(read_file(folder_ / loss / "train_rows.npy") ==
                  read_file(folder_ / name / "train_rows.npy"));
    }
  }
}

TEST_F(RowSplit, StandardizingUsesTheStatisticsOfAllRows) {
  TrainConfig config = rows_config("an");
  config.transform = TransformKind::kStandardize;
  alone(config, "alone");
  shared(config, "shared", 3);
  EXPECT_LT(farthest(weights("alone"), weights("shared")), 1e-5);
}

TEST_F(RowSplit, AsManyRanksGiveTheSameBytesAgain) {
  for (const std::string sync : {"1", "3"}) {
    for (const std::string name : {"a", "b"}) shared(rows_config("role", sync), name + sync, 3);
    for (const char* file : {"model.safetensors", "estimates.npy", "thresholds.npy"}) {
      EXPECT_TRUE(read_file(folder_ / ("a" + sync) / file) ==
                  read_file(folder_ / ("b" + sync) / file));
    }
  }
}

TEST_F(RowSplit, ARankMayHaveNoRowOfABatchOrOfTheTrainingRows) {
  data_ = make("few", 30);
  TrainConfig config = rows_config("role");
  config.batch = 4;
  config.val_fraction = 0.5;
  alone(config, "alone");
  shared(config, "shared", 15);
  EXPECT_LT(farthest(weights("alone"), weights("shared")), 1e-5);
  EXPECT_SPML_ERROR(shared(config, "many", 31), HasSubstr("30 rows and 31 ranks"));
}

TEST_F(RowSplit, LocalStepsLearnToo) {
  TrainConfig config = rows_config("an", "3");
  config.epochs = 12;
  const double before = shared(rows_config("an", "3"), "short", 3).result.val_map;
  const RunRecord record = shared(config, "long", 3);
  EXPECT_GT(record.result.val_map, before);
  EXPECT_EQ(record.result.steps, 12u * 5u);  // 40 rows a rank, the least of them, by batches of 8
  config.batch = 100;
  EXPECT_SPML_ERROR(shared(config, "batch", 3), HasSubstr("a batch of 100 training rows"));
}

TEST_F(RowSplit, AutoChoosesANumberOfSteps) {
  EXPECT_GT(shared(rows_config("an", "auto"), "auto", 2).result.steps, 0u);
  EXPECT_SPML_ERROR(shared(rows_config("an", "often"), "often", 2),
                    HasSubstr("expected auto or a number of steps"));
}

// Each rank's folder has its own rows; features of others are nowhere to be read.
TEST_F(RowSplit, FoldersOfTheirOwnGiveTheSameBytes) {
  shared(rows_config("role"), "together", 2);
  std::vector<std::shared_ptr<const Dataset>> apart;
  run_cluster(2, [&](Cluster& cluster) {
    const RowShare share = share_rows(data_, rows_config("role"), cluster, false, 1, {});
    if (cluster.is_first()) apart.resize(2);
    cluster.barrier();
    apart[static_cast<size_t>(cluster.rank())] = share.data;
  });
  train_rows(apart, true, rows_config("role"), options("apart"), 2);
  for (const char* file : {"model.safetensors", "estimates.npy", "train_rows.npy"}) {
    EXPECT_TRUE(read_file(folder_ / "together" / file) == read_file(folder_ / "apart" / file));
  }
}

TEST_F(RowSplit, GoesOnAfterAnInterruptionWithAsManyRanks) {
  for (const std::string sync : {"1", "3"}) {
    TrainConfig config = rows_config("role", sync);
    config.epochs = 4;
    const RunRecord expected = shared(config, "whole" + sync, 2);
    RunOptions run = options("stopped" + sync);
    run.checkpoint_every = 1;
    std::atomic<uint64_t> step = 0;
    RunEvents events;
    events.step = [&](const LoopState& state, uint64_t) { step = state.step; };
    events.stop_requested = [&] { return step >= 10; };
    EXPECT_THROW(train_rows({data_}, false, config, run, 2, events), Error);
    EXPECT_SPML_ERROR(train_rows({data_}, false, config, run, 3), HasSubstr("made by 2 ranks"));
    const RunRecord resumed = train_rows({data_}, false, config, run, 2);
    EXPECT_GE(resumed.result.resumed_from_step, 9u);
    for (const char* file : {"model.safetensors", "estimates.npy"}) {
      EXPECT_TRUE(read_file(folder_ / ("whole" + sync) / file) == read_file(run.out / file));
    }
  }
}

TEST_F(RowSplit, WhatCannotBeSplitIsRefusedByName) {
  EXPECT_SPML_ERROR(shared(rows_config("crisp"), "crisp", 2), HasSubstr("loss crisp"));
  EXPECT_SPML_ERROR(shared(rows_config("ll-r"), "ll", 2), HasSubstr("loss ll-r"));
  TrainConfig factored = rows_config("role");
  factored.estimator.kind = EstimatorKind::kFactored;
  EXPECT_SPML_ERROR(shared(factored, "factored", 2), HasSubstr("leave out --estimator factored"));
}

}  // namespace
}  // namespace spml
