// Sweeps in one process: the summary, what is missing of it, and what a folder may be used for.
#include "sweep/sweep.h"
#include "base/folders.h"

#include <fmt/core.h>

#include <future>

#include "data.h"
#include "reproduce/reproduce.h"
#include "run/folder_kind.h"
#include "sweep/linear_start.h"
#include "testing.h"

namespace spml {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<TrainConfig> grid_of(const std::vector<double>& rates, uint64_t seeds) {
  std::vector<TrainConfig> grid;
  for (const double lr : rates) {
    for (uint64_t seed = 0; seed < seeds; ++seed) {
      TrainConfig& config = grid.emplace_back();
      config.loss = "an";
      config.lr = lr;
      config.batch = 8;
      config.epochs = 1;
      config.seed = seed;
    }
  }
  return grid;
}

SweepRun finished(double lr, uint64_t seed, double val, std::optional<double> test) {
  SweepRun run;
  run.run = fmt::format("runs/{}-{}", lr, seed);
  run.config.loss = run.record.result.loss = "an";
  run.config.lr = run.record.result.lr = lr;
  run.config.seed = run.record.result.seed = seed;
  run.record.result.val_map = val;
  run.record.result.test_map = test;
  return run;
}

TEST(Winners, HaveTheBestMeanOverSeedsNotTheBestRun) {
  const std::vector<SweepRun> runs = {finished(1e-2, 0, 90, 50), finished(1e-2, 1, 60, 52),
                                      finished(1e-3, 0, 80, 70), finished(1e-3, 1, 82, 74)};
  const NamedList<Winner> best = best_per_loss(runs);
  const Winner& winner = *best.find("an");
  EXPECT_EQ(winner.result.lr, 1e-3);
  EXPECT_EQ(winner.run, "runs/0.001-0");
  EXPECT_EQ(winner.val_map(), 81);
  EXPECT_EQ(winner.test_map(), 72);
  EXPECT_NEAR(*winner.test_map_std, std::sqrt(8.0), 1e-12);
  EXPECT_EQ(winner.train_map_mean, std::nullopt);
  EXPECT_THAT(winner.seeds, ElementsAre(0, 1));
  EXPECT_THAT(winner.members, ElementsAre(2, 3));
  EXPECT_THAT(winner.seeds_missing, IsEmpty());
}

TEST(Winners, SayWhichSeedsTheyLack) {
  const std::vector<SweepRun> runs = {finished(1e-2, 0, 90, 50), finished(1e-2, 2, 88, 52)};
  std::vector<TrainConfig> grid(4, runs[0].config);
  for (uint64_t seed = 0; seed < 3; ++seed) grid[seed].seed = seed;
  grid[3].lr = 1e-3;
  const NamedList<Winner> best = best_per_loss(runs, grid);
  EXPECT_THAT(best.find("an")->seeds, ElementsAre(0, 2));
  EXPECT_THAT(best.find("an")->seeds_missing, ElementsAre(1));
}

TEST(Winners, RanksGoToTheTwoLargest) {
  EXPECT_THAT(best_and_second(std::vector<double>{3, 9, 1, 9}), ElementsAre(0, 1, 0, 2));
  EXPECT_THAT(best_and_second(std::vector<double>{3}), ElementsAre(1));
  EXPECT_THAT(best_and_second({}), IsEmpty());
}

class Sweeping : public testing::Test {
 protected:
  SweepOptions options() {
    SweepOptions options;
    options.out = folder_ / "out";
    options.keep_earlier = true;
    return options;
  }
  // The folder of a sweep that was killed as it began.
  void begin_sweep() {
    make_folder(folder_ / "out/runs");
    write_file(folder_ / "out/.lock-1-of-1", "");
  }
  // Keeps what a sweep says.
  SweepEvents listening() {
    SweepEvents events;
    events.notice = [this](const std::string& text) { notices_.push_back(text); };
    return events;
  }
  std::vector<std::string> listed() { return read_sweep_runs(folder_ / "out/results.jsonl"); }

  TemporaryFolder folder_;
  Dataset data_ = small_data();
  std::vector<std::string> notices_;
};

TEST_F(Sweeping, TheSummaryIsWhatBestJsonSays) {
  const auto grid = grid_of({1e-2, 1e-3}, 2);
  const SweepSummary summary = run_sweep(data_, grid, options());
  EXPECT_EQ(summary.runs, 4u);
  const SweepSummary read = read_sweep_summary(folder_ / "out/best.json");
  EXPECT_EQ(json_text(read), json_text(summary));
  EXPECT_EQ(read_sweep_runs(folder_ / "out/results.jsonl").size(), 4u);
}

TEST_F(Sweeping, AnotherGridIsAddedToWhatIsThere) {
  auto other = grid_of({1e-2}, 1);
  other[0].loss = "role";  // config.json has its k
  run_sweep(data_, other, options());
  const SweepSummary summary = run_sweep(data_, grid_of({1e-2, 1e-3}, 1), options());
  EXPECT_EQ(summary.runs, 3u);
  EXPECT_NE(summary.best.find("an"), nullptr);
  ASSERT_NE(summary.best.find("role"), nullptr);
  EXPECT_EQ(json_text(read_sweep_summary(folder_ / "out/best.json")), json_text(summary));
  // Another seed is one of the same settings.
  other[0].seed = 1;
  const SweepSummary seeds = run_sweep(data_, other, options());
  EXPECT_EQ(seeds.runs, 4u);
  EXPECT_THAT(seeds.best.find("role")->seeds, testing::UnorderedElementsAre(0, 1));
  // A rerun lists nothing twice, and what was removed no longer.
  const auto names = read_sweep_runs(folder_ / "out/results.jsonl");
  EXPECT_EQ(run_sweep(data_, other, options()).runs, 4u);
  EXPECT_EQ(read_sweep_runs(folder_ / "out/results.jsonl"), names);
  std::filesystem::remove_all(folder_ / "out" / names[1]);
  EXPECT_EQ(run_sweep(data_, other, options()).runs, 3u);
}

TEST_F(Sweeping, EarlierRunsCompeteWhereTheirValidationIsTheSame) {
  run_sweep(data_, grid_of({1e-2}, 1), options());
  const Path first = folder_ / "out" / listed().at(0);
  RunResult best = read_run_result(first / "result.json");
  best.val_map = 1000;  // better than anything that is trained
  write_file(first / "result.json", json_text(best));

  auto same = grid_of({1e-3}, 1);
  same[0].epochs = 2;
  same[0].batch = 4;
  same[0].transform = TransformKind::kSqrt;
  EXPECT_EQ(run_sweep(data_, same, options()).best.find("an")->val_map(), 1000);
  const auto with = [](const auto& change) {
    auto grid = grid_of({1e-3}, 1);
    change(grid[0]);
    return grid;
  };
  const std::vector<std::vector<TrainConfig>> others = {
      with([](TrainConfig& c) { c.val_fraction = 0.4; }),
      with([](TrainConfig& c) { c.split_seed = 7; }),
      with([](TrainConfig& c) { c.select = Select::kObserved; }),
      with([](TrainConfig& c) { c.observe = observe_from("pos=1,seed=3"); }),
      with([](TrainConfig& c) { c.subsample = 0.5; }),
  };
  size_t runs = 2;
  for (const auto& grid : others) {
    const SweepSummary summary = run_sweep(data_, grid, options());
    EXPECT_EQ(summary.runs, ++runs);  // it stays listed
    EXPECT_EQ(summary.best.find("an")->run, "runs/" + run_name(grid[0]));
  }
}

TEST_F(Sweeping, OverwriteStartsAfresh) {
  run_sweep(data_, grid_of({1e-2}, 1), options());
  SweepOptions afresh = options();
  afresh.overwrite = true;
  EXPECT_EQ(run_sweep(data_, grid_of({1e-3}, 1), afresh).runs, 1u);
  EXPECT_EQ(listed().size(), 1u);
}

TEST_F(Sweeping, TheStartOfLinearInitIsOneOfItsOwnRuns) {
  RunOptions run;
  run.out = folder_ / "run";
  TrainConfig config = grid_of({1e-3}, 1)[0];
  config.mode = Mode::kLinearInit;
  config.batch = 4;
  make_folder(run.out);
  linear_starts().make(data_, config, run, {});
  const Path phase = run.out / kLinearPhase;
  const auto names = read_sweep_runs(phase / "results.jsonl");
  ASSERT_EQ(names.size(), kPaperLearningRates.size());
  for (const std::string& name : names) {
    RunResult best = read_run_result(phase / name / "result.json");
    best.val_map = 1000;
    write_file(phase / name / "result.json", json_text(best));
  }
  config.batch = 8;
  linear_starts().make(data_, config, run, {});
  const SweepSummary summary = read_sweep_summary(phase / "best.json");
  EXPECT_EQ(summary.best.find("an")->result.batch, 8u);
  EXPECT_EQ(summary.runs, kPaperLearningRates.size());
}

TEST_F(Sweeping, WhatCannotBeReadOfEarlierGridsIsLeftOutWithANotice) {
  run_sweep(data_, grid_of({1e-2, 1e-1}, 1), options());
  const std::string damaged = listed().at(0);
  write_file(folder_ / "out" / damaged / "result.json", "{");
  const auto grid = grid_of({1e-3}, 1);
  EXPECT_EQ(run_sweep(data_, grid, options(), listening()).runs, 2u);
  EXPECT_THAT(notices_, ElementsAre(HasSubstr(damaged + "/result.json")));

  notices_.clear();
  const std::string lines = read_file(folder_ / "out/results.jsonl");
  write_file(folder_ / "out/results.jsonl", "garbage\n\xff\n{}\n" + lines);
  EXPECT_EQ(run_sweep(data_, grid, options(), listening()).runs, 2u);
  EXPECT_THAT(notices_, ElementsAre(HasSubstr("results.jsonl:1")));
  EXPECT_EQ(read_file(folder_ / "out/results.jsonl"), lines);

  notices_.clear();
  std::string elsewhere = lines.substr(lines.rfind("{\"loss\""));
  elsewhere.replace(elsewhere.find("runs/"), 5, "../r/");
  write_file(folder_ / "out/results.jsonl", elsewhere);
  EXPECT_EQ(run_sweep(data_, grid, options(), listening()).runs, 1u);
  EXPECT_THAT(notices_, ElementsAre(HasSubstr("expected runs inside the folder")));
}

TEST_F(Sweeping, OtherDataIsRefusedBeforeAnythingIsTrained) {
  const auto grid = grid_of({1e-3}, 1);
  run_sweep(data_, grid_of({1e-2}, 1), options());
  const std::string before = read_file(folder_ / "out/results.jsonl");
  Dataset other = small_data({.rows = 80});
  other.name = "larger";
  EXPECT_SPML_ERROR(
      run_sweep(other, grid, options()),
      AllOf(HasSubstr("'small'"), HasSubstr("'larger'"), HasSubstr(fingerprint(data_)),
            HasSubstr(fingerprint(other)), HasSubstr("another --out, or give --overwrite")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/runs" / run_name(grid[0])));
  EXPECT_EQ(read_file(folder_ / "out/results.jsonl"), before);
  SweepOptions afresh = options();
  afresh.overwrite = true;
  EXPECT_EQ(run_sweep(other, grid, afresh).runs, 1u);
  EXPECT_EQ(run_sweep(other, grid, options()).runs, 1u);
}

TEST_F(Sweeping, WritesIntoNoFolderOfOthers) {
  const auto grid = grid_of({1e-2}, 1);
  Experiment experiment;
  experiment.name = "mine";
  ReproduceOptions reproduction;
  SweepOptions sweep;
  sweep.out = reproduction.out = folder_ / "mine";
  make_folder(folder_ / "mine/notes");
  write_file(folder_ / "mine/.lock", "");
  for (const char* file : {"mine/dataset.json", "mine/notes/today.txt"}) {
    write_file(folder_ / file, "{}");
    EXPECT_SPML_ERROR(run_sweep(data_, grid, sweep), HasSubstr("found other files"));
    EXPECT_SPML_ERROR(run_grid(data_, grid, sweep), HasSubstr("found other files"));
    EXPECT_SPML_ERROR(reproduce(experiment, reproduction), HasSubstr("found other files"));
    std::filesystem::remove(folder_ / file);
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "mine/runs"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "mine/results.json"));
  EXPECT_EQ(run_sweep(data_, grid, sweep).runs, 1u);  // a lock and an empty folder are left
  sweep.out = folder_ / "shared";
  make_folder(sweep.out);
  write_file(sweep.out / "notes.txt", "mine");
  sweep.beside_others = true;
  EXPECT_EQ(run_sweep(data_, grid, sweep).runs, 1u);
  EXPECT_EQ(read_file(sweep.out / "notes.txt"), "mine");
}

TEST_F(Sweeping, WhatHasOnlyBegunGoesOn) {
  const auto grid = grid_of({1e-2}, 1);
  SweepOptions shard = options();
  shard.shards = 2;
  run_grid(data_, grid, shard);  // leaves no results.jsonl
  EXPECT_EQ(run_sweep(data_, grid, options()).runs, 1u);
  // The same of a reproduction: a sweep of a data set, and no results.json.
  make_folder(folder_ / "both");
  write_file(folder_ / "both/.lock", "");
  std::filesystem::rename(folder_ / "out", folder_ / "both/small");
  EXPECT_NO_THROW(expect_own_folder(folder_ / "both", FolderKind::kReproduction));
  EXPECT_SPML_ERROR(expect_own_folder(folder_ / "both", FolderKind::kSweep),
                    HasSubstr("found other files"));
}

TEST_F(Sweeping, AFailedSeedIsInTheRecord) {
  auto grid = grid_of({1e-2}, 3);
  // A file where the folder of the second seed has to be.
  begin_sweep();
  write_file(folder_ / "out/runs" / run_name(grid[1]), "");
  const SweepSummary summary = run_sweep(data_, grid, options());
  EXPECT_EQ(summary.runs, 2u);
  EXPECT_THAT(summary.best.find("an")->seeds, ElementsAre(0, 2));
  EXPECT_THAT(summary.best.find("an")->seeds_missing, ElementsAre(1));
  ASSERT_EQ(summary.failed.size(), 1u);
  EXPECT_EQ(summary.failed[0].run, run_name(grid[1]));
  EXPECT_SPML_ERROR(check_complete(summary.failed),
                    AllOf(HasSubstr("the others are done"), HasSubstr(run_name(grid[1]))));
  EXPECT_EQ(json_text(read_sweep_summary(folder_ / "out/best.json")), json_text(summary));
}

TEST_F(Sweeping, WritesThroughNoLink) {
  const auto grid = grid_of({1e-2}, 1);
  const TemporaryFolder elsewhere;
  write_file(elsewhere / "model.safetensors", "precious");
  begin_sweep();
  std::filesystem::remove(folder_ / "out/runs");
  std::filesystem::create_symlink(elsewhere.path(), folder_ / "out/runs");
  EXPECT_SPML_ERROR(run_sweep(data_, grid, options()), HasSubstr("found a symbolic link"));
  std::filesystem::remove(folder_ / "out/runs");
  make_folder(folder_ / "out/runs");
  std::filesystem::create_symlink(elsewhere.path(), folder_ / "out/runs" / run_name(grid[0]));
  const SweepSummary summary = run_sweep(data_, grid, options());
  ASSERT_EQ(summary.failed.size(), 1u);
  EXPECT_THAT(summary.failed[0].error, HasSubstr("found a symbolic link"));
  TrainConfig config = grid[0];
  config.mode = Mode::kLinearInit;
  RunOptions run;
  run.out = folder_ / "run";
  make_folder(run.out);
  std::filesystem::create_symlink(elsewhere.path(), run.out / kLinearPhase);
  EXPECT_SPML_ERROR(linear_starts().make(data_, config, run, {}),
                    HasSubstr("found a symbolic link"));
  EXPECT_EQ(read_file(elsewhere / "model.safetensors"), "precious");
  const std::filesystem::directory_iterator files(elsewhere.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

// While one process makes the summary, the others wait: the last one has seen every run.
TEST_F(Sweeping, ShardsThatEndTogetherLeaveACompleteSummary) {
  const auto grid = grid_of({1e-2, 1e-3}, 1);
  SweepOptions first = options(), second = options();
  first.shards = second.shards = 2;
  second.shard = 1;
  std::promise<void> trained;
  SweepEvents events;
  events.run_done = [&](const SweepRun&, size_t, size_t) { trained.set_value(); };
  make_folder(first.out);
  auto lock = std::make_unique<FileLock>(SweepFolder{first.out}.summary_lock(), "test");
  auto sweep = std::async(std::launch::async, [&] {
    try {
      return run_sweep(data_, grid, first, events).runs;
    } catch (...) {
      trained.set_exception(std::current_exception());
      throw;
    }
  });
  trained.get_future().get();
  run_grid(data_, grid, second);  // ends its run before the first may look
  lock.reset();
  EXPECT_EQ(sweep.get(), 2u);
  EXPECT_EQ(read_sweep_summary(SweepFolder{first.out}.best()).runs, 2u);
}

TEST_F(Sweeping, RunsSweepsAndReproductionsDoNotMix) {
  const auto grid = grid_of({1e-2}, 1);
  RunOptions run;
  run.out = folder_ / "run";
  run_training(data_, grid[0], run);
  SweepOptions sweep = options();
  sweep.out = folder_ / "run";
  EXPECT_SPML_ERROR(run_sweep(data_, grid, sweep), HasSubstr("found a run; choose another --out"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run/runs"));

  run_sweep(data_, grid, options());
  run.out = folder_ / "out";
  for (const Existing existing : {Existing::kResume, Existing::kOverwrite}) {
    run.existing = existing;
    EXPECT_SPML_ERROR(run_training(data_, grid[0], run), HasSubstr("found a sweep"));
  }
  Experiment experiment;
  experiment.name = "mine";
  ReproduceOptions reproduction;
  reproduction.out = folder_ / "out";
  EXPECT_SPML_ERROR(reproduce(experiment, reproduction), HasSubstr("found a sweep"));
  EXPECT_EQ(kind_of_folder(folder_ / "nowhere"), std::nullopt);
  EXPECT_EQ(kind_of_folder(folder_ / "run"), FolderKind::kRun);
}

TEST_F(Sweeping, DamagedFilesAreErrorsThatNameThem) {
  const auto grid = grid_of({1e-2}, 1);
  run_sweep(data_, grid, options());
  const Path run = folder_ / "out/runs" / run_name(grid[0]);
  for (const std::string damage : {"", "{", "[1]", "{\"loss\": 3}", "\xff\xfe"}) {
    write_file(run / "result.json", damage);
    const GridRuns runs = run_grid(data_, grid, options());
    ASSERT_EQ(runs.failed.size(), 1u) << damage;
    EXPECT_THAT(runs.failed[0].error, HasSubstr("result.json")) << damage;
    write_file(folder_ / "out/best.json", damage);
    EXPECT_SPML_ERROR(read_sweep_summary(folder_ / "out/best.json"), HasSubstr("best.json"));
  }
}

}  // namespace
}  // namespace spml
