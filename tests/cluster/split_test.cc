// Training that several ranks share by labels gives the bytes of one process: for every loss, for
// any number of ranks, and after an interruption with another number of them.
#include <atomic>
#include <sstream>

#include "base/folders.h"
#include "cluster/thread_cluster.h"
#include "data/dataset.h"
#include "data/synth.h"
#include "loss/info.h"
#include "run/run.h"
#include "testing.h"

namespace spml {
namespace {

using testing::HasSubstr;

// Of as many ranks; 0 = without a cluster.
RunRecord train(const Dataset& data, const TrainConfig& config, RunOptions options, int ranks,
                const RunEvents& events = {}) {
  if (ranks == 0) return run_training(data, config, options, events);
  RunRecord record;
  run_cluster(ranks, [&](Cluster& cluster) {
    RunOptions mine = options;
    mine.cluster = &cluster;
    RunRecord result = run_training(data, config, mine, events);
    if (cluster.is_first()) record = std::move(result);
  });
  return record;
}

void expect_same_run(const RunRecord& a, const RunRecord& b, const Path& left, const Path& right) {
  for (const char* name :
       {"model.safetensors", "thresholds.npy", "estimates.npy", "train_rows.npy"}) {
    ASSERT_EQ(std::filesystem::exists(left / name), std::filesystem::exists(right / name)) << name;
    if (!std::filesystem::exists(left / name)) continue;
    EXPECT_TRUE(read_file(left / name) == read_file(right / name)) << right / name;
  }
  EXPECT_EQ(a.result.per_class_ap, b.result.per_class_ap);
  EXPECT_EQ(a.result.val_map, b.result.val_map);
  EXPECT_EQ(a.result.train_map, b.result.train_map);
  EXPECT_EQ(a.result.best_epoch, b.result.best_epoch);
  ASSERT_EQ(a.epochs.size(), b.epochs.size());
  for (size_t i = 0; i < a.epochs.size(); ++i) {
    EXPECT_EQ(a.epochs[i].val_map, b.epochs[i].val_map);
    EXPECT_EQ(a.epochs[i].unobserved_positives, b.epochs[i].unobserved_positives);
    EXPECT_NEAR(a.epochs[i].train_loss, b.epochs[i].train_loss, 1e-9);
    EXPECT_NEAR(a.epochs[i].khat, b.epochs[i].khat, 1e-9);
  }
}

class LabelSplit : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder();
    SynthOptions options;
    options.rows = 150;
    options.labels = 19;
    options.features = 12;
    make_folder(*folder_ / "data");
    write_synthetic(*folder_ / "data", options);
    data_ = new Dataset(open_dataset(*folder_ / "data", {.need_features = true}));
  }
  static void TearDownTestSuite() {
    delete data_;
    delete folder_;
  }

  static TrainConfig config(const std::string& loss) {
    TrainConfig config;
    config.loss = loss;
    config.epochs = 4;
    config.batch = 8;
    config.lr = 0.01;
    return config;
  }
  static RunOptions options(const std::string& name) {
    RunOptions options;
    options.out = *folder_ / name;
    options.existing = Existing::kResume;
    return options;
  }

  static TemporaryFolder* folder_;
  static Dataset* data_;
};

TemporaryFolder* LabelSplit::folder_ = nullptr;
Dataset* LabelSplit::data_ = nullptr;

class EveryLoss : public LabelSplit, public testing::WithParamInterface<std::string> {};

TEST_P(EveryLoss, GivesTheBytesOfOneProcess) {
  const RunOptions alone = options(GetParam() + "-alone");
  const RunRecord expected = train(*data_, config(GetParam()), alone, 0);
  for (const int ranks : {1, 2, 3, 4}) {
    SCOPED_TRACE(ranks);
    const RunOptions shared = options(GetParam() + "-" + std::to_string(ranks));
    expect_same_run(expected, train(*data_, config(GetParam()), shared, ranks), alone.out,
                    shared.out);
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto losses : {all_losses(), combined_losses()}) {
    for (const LossInfo* info : losses) all.emplace_back(info->name);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Table, EveryLoss, testing::ValuesIn(names()), [](const auto& loss) {
  std::string name = loss.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '+'; }, '_');
  return name;
});

TEST_F(LabelSplit, MoreRanksThanLabelsLeaveSomeWithout) {
  for (const std::string loss : {"role", "an", "ll-cp", "role+pr", "crisp"}) {
    SCOPED_TRACE(loss);
    const RunOptions alone = options(loss + "-few-alone"), shared = options(loss + "-few-shared");
    const RunRecord expected = train(*data_, config(loss), alone, 0);
    expect_same_run(expected, train(*data_, config(loss), shared, 23), alone.out, shared.out);
  }
}

// Two transforms of the features, early stopping and what is recorded beside the results.
TEST_F(LabelSplit, OtherSettingsGiveTheSameBytesToo) {
  TrainConfig settings = config("role");
  settings.transform = TransformKind::kStandardize;
  settings.patience = 1;
  settings.weight_decay = 1e-3;
  settings.record_unobserved_positives = true;
  settings.batch = 16;
  const RunOptions alone = options("settings-alone"), shared = options("settings-shared");
  const RunRecord expected = train(*data_, settings, alone, 0);
  expect_same_run(expected, train(*data_, settings, shared, 3), alone.out, shared.out);
}

TEST_F(LabelSplit, GoesOnWithAnotherNumberOfRanksToTheSameBytes) {
  for (const std::string loss : {"role", "self-training", "em-apl", "crisp", "role+ll-cp"}) {
    SCOPED_TRACE(loss);
    const RunOptions alone = options(loss + "-whole");
    const RunRecord expected = train(*data_, config(loss), alone, 0);
    // After each interruption as many others take over; 0 is one process without a cluster.
    RunOptions shared = options(loss + "-interrupted");
    shared.checkpoint_every = 1;
    uint64_t stop_at = 0;
    for (const int ranks : {2, 3, 0, 23, 1}) {
      stop_at += 10;
      RunEvents events;
      std::atomic<uint64_t> step = 0;
      events.step = [&](const LoopState& state, uint64_t) { step = state.step; };
      events.stop_requested = [&] { return step + 1 >= stop_at; };
      try {
        train(*data_, config(loss), shared, ranks, events);
        ADD_FAILURE() << "expected to be stopped";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::kInterrupted) << error.what();
      }
    }
    const RunRecord resumed = train(*data_, config(loss), shared, 4);
    EXPECT_GE(resumed.result.resumed_from_step, 40u);
    expect_same_run(expected, resumed, alone.out, shared.out);
    for (const auto& entry : std::filesystem::directory_iterator(shared.out)) {
      EXPECT_FALSE(entry.path().filename().string().starts_with("checkpoint")) << entry.path();
    }
  }
}

TEST_F(LabelSplit, AFinishedRunIsLeftAlone) {
  const RunOptions shared = options("finished");
  const RunRecord first = train(*data_, config("an"), shared, 2);
  std::atomic<int> steps = 0;
  RunEvents events;
  events.step = [&](const LoopState&, uint64_t) { ++steps; };
  const RunRecord again = train(*data_, config("an"), shared, 3, events);
  EXPECT_EQ(steps, 0);
  EXPECT_EQ(again.result.per_class_ap, first.result.per_class_ap);
}

TEST_F(LabelSplit, OtherSettingsOrDataOfOneRankAreNamed) {
  const RunOptions shared = options("mismatch");
  EXPECT_SPML_ERROR(run_cluster(3,
                                [&](Cluster& cluster) {
                                  TrainConfig mine = config("an");
                                  if (cluster.rank() == 2) mine.lr = 0.5;
                                  RunOptions run = shared;
                                  run.cluster = &cluster;
                                  run_training(*data_, mine, run);
                                }),
                    HasSubstr("rank 2 has lr 0.5, rank 0 has 0.01"));
  SynthOptions other;
  other.rows = 150;
  other.labels = 19;
  other.features = 12;
  other.seed = 5;
  make_folder(*folder_ / "other");
  write_synthetic(*folder_ / "other", other);
  const Dataset others = open_dataset(*folder_ / "other", {.need_features = true});
  EXPECT_SPML_ERROR(run_cluster(2,
                                [&](Cluster& cluster) {
                                  RunOptions run = shared;
                                  run.cluster = &cluster;
                                  run_training(cluster.is_first() ? *data_ : others, config("an"),
                                               run);
                                }),
                    HasSubstr("rank 1 has data_fingerprint"));
}

TEST_F(LabelSplit, WhatCannotBeSplitIsRefusedByName) {
  TrainConfig factored = config("role");
  factored.estimator.kind = EstimatorKind::kFactored;
  EXPECT_SPML_ERROR(train(*data_, factored, options("factored"), 2),
                    HasSubstr("leave out --estimator factored"));
}

// A list of files that is not one of this program's.
TEST_F(LabelSplit, AListOfOtherFilesIsRefused) {
  RunOptions shared = options("list");
  shared.checkpoint_every = 1;
  RunEvents events;
  events.stop_requested = [] { return true; };
  EXPECT_THROW(train(*data_, config("an"), shared, 2, events), Error);
  const Path list = RunFolder{shared.out}.checkpoint_parts();
  ASSERT_TRUE(std::filesystem::exists(list));
  const std::string good = read_file(list);
  for (const auto& [from, to, why] : std::vector<std::array<std::string, 3>>{
           {"\"first_label\": 9", "\"first_label\": 8", "expected files with 19 labels"},
           {"\"labels\": 10", "\"labels\": 11", "expected files with 19 labels"},
           {"checkpoint-1-1", "../checkpoint-1-1", "list/checkpoint.json"},
           {"\"step\": 1", "\"step\": 2", "expected the state after step 2"}}) {
    std::string bad = good;
    ASSERT_NE(bad.find(from), std::string::npos) << good;
    write_file(list, bad.replace(bad.find(from), from.size(), to));
    EXPECT_SPML_ERROR(train(*data_, config("an"), shared, 2), HasSubstr(why));
  }
}

// Also not one of no labels, which no rank reads.
TEST_F(LabelSplit, RemovesNoFileThatAListNames) {
  RunOptions shared = options("named");
  shared.checkpoint_every = 1;
  RunEvents events;
  events.stop_requested = [] { return true; };
  EXPECT_THROW(train(*data_, config("an"), shared, 2, events), Error);
  const TemporaryFolder elsewhere;
  write_file(elsewhere / "precious.txt", "precious");
  std::filesystem::create_symlink(elsewhere.path(), shared.out / "link");
  write_file(shared.out / "notes.txt", "mine");
  const Path list = RunFolder{shared.out}.checkpoint_parts();
  const std::string good = read_file(list);
  for (const auto& [name, why] : std::vector<std::array<std::string, 2>>{
           {"link/precious.txt", "found 'link/precious.txt'"},
           {"notes.txt", "found 'notes.txt'"},
           {"checkpoint-1-7.safetensors", "expected files with 19 labels"}}) {
    std::string bad = good;
    bad.replace(bad.rfind(']'), 1,
                ", {\"file\": \"" + name + "\", \"first_label\": 19, \"labels\": 0}]");
    write_file(list, bad);
    EXPECT_SPML_ERROR(train(*data_, config("an"), shared, 2), HasSubstr(why));
  }
  EXPECT_EQ(read_file(elsewhere / "precious.txt"), "precious");
  EXPECT_EQ(read_file(shared.out / "notes.txt"), "mine");
}

}  // namespace
}  // namespace spml
