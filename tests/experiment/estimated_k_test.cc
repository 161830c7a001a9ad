// When k is estimated from observed labels: once, and not before a folder is known to be the run's.
#include <filesystem>

#include "data.h"
#include "run/run.h"
#include "search/auto.h"
#include "sweep/sweep.h"
#include "testing.h"

namespace spml {
namespace {

using testing::HasSubstr;

class EstimatedK : public testing::Test {
 protected:
  TemporaryFolder folder;
  const Dataset data = small_data({.rows = 120, .truth = false});
  TrainConfig config = config_of("role");
  RunOptions options;
  RunEvents events;
  int estimates = 0;

  EstimatedK() {
    config.k.reset();
    options.out = folder / "run";
    events.notice = [this](const std::string& text) { count(text); };
  }
  void count(const std::string& text) {
    estimates += text.find("estimated from the observed labels") != text.npos;
  }
  RunRecord train() { return run_training(data, config, options, events); }
};

TEST_F(EstimatedK, IsNotAskedForBeforeAFolderIsRefused) {
  std::filesystem::create_directory(folder / "run");
  write_file(folder / "run" / "notes.txt", "mine");
  EXPECT_SPML_ERROR(train(), HasSubstr("the folder is not empty"));
  EXPECT_EQ(estimates, 0);
}

TEST_F(EstimatedK, IsThatOfTheRunThatGoesOn) {
  const RunRecord run = train();
  EXPECT_EQ(estimates, 1);
  EXPECT_EQ(run.result.k_from, "observed");
  options.existing = Existing::kResume;
  EXPECT_EQ(train().result.k, run.result.k);
  std::filesystem::remove(folder / "run" / "result.json");  // as if it had been killed
  const std::string model = read_file(folder / "run" / "model.safetensors");
  EXPECT_EQ(train().result.k_from, "observed");
  EXPECT_EQ(read_file(folder / "run" / "model.safetensors"), model);
  EXPECT_EQ(estimates, 1);
}

TEST_F(EstimatedK, IsNotAskedForWhereTheRunThereIsAnother) {
  config.k = 3;
  train();
  config.k.reset();
  options.existing = Existing::kResume;
  EXPECT_SPML_ERROR(train(), HasSubstr("k 3.0, but null was asked for"));
  config.seed = 7;
  EXPECT_SPML_ERROR(train(), HasSubstr("seed 0, but 7 was asked for"));
  EXPECT_EQ(estimates, 0);
}

TEST_F(EstimatedK, IsAskedForOnceInASweep) {
  std::vector<TrainConfig> grid;
  for (const size_t batch : {4, 8}) {
    for (const uint64_t seed : {0, 1}) {
      config.batch = batch;
      config.seed = seed;
      grid.push_back(config);
    }
  }
  SweepOptions sweep;
  sweep.out = folder / "sweep";
  sweep.jobs = 2;
  SweepEvents sweep_events;
  sweep_events.notice = [this](const std::string& text) { count(text); };
  const GridRuns runs = run_grid(data, grid, sweep, sweep_events);
  ASSERT_EQ(runs.finished.size(), 4u);
  EXPECT_EQ(estimates, 1);
  for (const SweepRun& run : runs.finished) {
    EXPECT_EQ(run.record.result.k, runs.finished.front().record.result.k);
  }
  EXPECT_EQ(run_grid(data, grid, sweep, sweep_events).failed.size(), 0u);
  EXPECT_EQ(estimates, 1);
}

}  // namespace
}  // namespace spml
