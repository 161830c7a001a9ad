// The program under mpirun: the bytes of one process, one line for what goes wrong, and an end of
// all ranks when one is gone.
#include <signal.h>

#include <chrono>
#include <thread>

#include "base/fail.h"
#include "ranks.h"

namespace spml {
namespace {

using testing::HasSubstr;

TEST_F(Mpi, TrainingGivesTheBytesOfOneProcess) {
  make_data(path("data"), {.rows = 150, .labels = 7, .features = 12});
  for (const std::string loss : {"role", "pr"}) {
    const Words words = {"train", path("data"), "--loss", loss, "--epochs", "3", "--out"};
    expect_success(words + Words{path(loss)});
    for (const int ranks : {2, 3, 4}) {
      const std::string out = path(loss + std::to_string(ranks));
      const Ran ran = run_ranks(ranks, words + Words{out});
      EXPECT_EQ(ran.exit_code, 0) << ran.err;
      EXPECT_THAT(ran.out, testing::StartsWith("loss " + loss));  // once
      EXPECT_EQ(ran.out.find("loss " + loss, 1), std::string::npos) << ran.out;
      for (const char* name : {"model.safetensors", "thresholds.npy", "estimates.npy"}) {
        expect_same_bytes(Path(path(loss)) / name, Path(out) / name);
      }
    }
  }
}

TEST_F(Mpi, ASweepAndASearchGiveTheBytesOfOneProcess) {
  make_data(path("data"));
  const Words sweep = {"sweep",     path("data"), "--loss", "an,role", "--lr",
                       "1e-2,1e-3", "--epochs",   "2",      "--out"};
  expect_success(sweep + Words{path("sweep1")});
  const Words search = {"train", path("data"), "--trials", "8", "--epochs", "3", "--out"};
  expect_success(search + Words{path("search1")});
  for (const int ranks : {2, 3, 4}) {
    const std::string number = std::to_string(ranks);
    EXPECT_EQ(run_ranks(ranks, sweep + Words{path("sweep" + number)}).exit_code, 0);
    for (const auto& run : std::filesystem::directory_iterator(path("sweep1") + "/runs")) {
      const Path name = run.path().filename();
      expect_same_bytes(run.path() / "model.safetensors",
                        Path(path("sweep" + number)) / "runs" / name / "model.safetensors");
    }
    EXPECT_EQ(run_ranks(ranks, search + Words{path("search" + number)}).exit_code, 0);
    for (const char* name : {"model.safetensors", "search.jsonl"}) {
      expect_same_bytes(Path(path("search1")) / name, Path(path("search" + number)) / name);
    }
  }
}

// The same bytes from a folder that all see and from folders in which each has its own rows.
TEST_F(Mpi, RanksMayHaveRowsOfTheirOwn) {
  std::filesystem::create_directory(path("a"));
  std::filesystem::create_directory(path("b"));
  make_data(path("a") + "/data", {.rows = 150, .labels = 7, .features = 12});
  make_data(path("b") + "/data", {.rows = 90, .labels = 7, .features = 12});
  const Words flags = {"--loss",     "role", "--epochs",     "2", "--k",         "2",
                       "--shard-by", "rows", "--sync-every", "1", "--shard-data"};
  for (const char* out : {"first", "again"}) {
    const Words train = Words{program_path(), "train", "data", "--out", path(out)} + flags;
    const Words both = Words{"-n", "1", "--wdir", path("a")} + train +
                       Words{":", "-n", "1", "--wdir", path("b")} + train;
    const Ran ran = Running(SPML_MPIRUN, both).wait();
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
  }
  for (const char* name : {"model.safetensors", "estimates.npy"}) {
    expect_same_bytes(Path(path("first")) / name, Path(path("again")) / name);
  }
  const Ran local =
      run_ranks(2, {"train", path("a") + "/data", "--loss", "an", "--epochs", "2", "--shard-by",
                    "rows", "--sync-every", "auto", "--out", path("local")});
  EXPECT_EQ(local.exit_code, 0) << local.err;
  EXPECT_THAT(local.err, HasSubstr("--sync-every auto: "));
  expect_one_line(run_ranks(2, {"train", path("a") + "/data", "--loss", "crisp", "--shard-by",
                                "rows", "--out", path("crisp")}),
                  1, "loss crisp");
}

TEST_F(Mpi, WhatIsWrongIsSaidOnce) {
  make_data(path("data"));
  const Words train = {"train", path("data"), "--out", path("run"), "--loss"};
  expect_one_line(run_ranks(3, train + Words{"rol"}), 2, "unknown loss 'rol'");
  expect_one_line(run_ranks(3, {"stats", path("data")}), 2, "spml stats works in one process");
  Words differs = under_mpirun(1, train + Words{"an"});
  differs.emplace_back(":");
  expect_one_line(Running(SPML_MPIRUN, differs + under_mpirun(1, train + Words{"role"})).wait(), 1,
                  "rank 1 has the command");
}

TEST_F(Mpi, OtherDataOnOneRankIsNamed) {
  std::filesystem::create_directory(path("a"));
  std::filesystem::create_directory(path("b"));
  make_data(path("a") + "/data");
  make_data(path("b") + "/data", {.rows = 160});
  const Words train = {program_path(), "train", "data", "--loss", "an", "--out", path("run")};
  const Words both = Words{"-n", "1", "--wdir", path("a")} + train +
                     Words{":", "-n", "1", "--wdir", path("b")} + train;
  expect_one_line(Running(SPML_MPIRUN, both).wait(), 1, "rank 1 has data_fingerprint");
  std::filesystem::remove_all(path("b") + "/data");
  expect_one_line(Running(SPML_MPIRUN, both).wait(), 1, "rank 1: data: expected a data folder");
}

TEST_F(Mpi, WithoutTheModuleItSaysWhatIsMissing) {
  make_data(path("data"));
  std::filesystem::copy_file(program_path(), path("spml"));
  const Ran ran = Running(SPML_MPIRUN, {"-n", "2", path("spml"), "train", path("data"), "--loss",
                                        "an", "--out", path("run")})
                      .wait();
  expect_one_line(ran, 1, "libspml_mpi.so: working in several processes needs it");
  EXPECT_FALSE(std::filesystem::exists(path("run")));
}

// Whichever rank is killed: the others end, with a line, and other numbers of ranks go on.
TEST_F(Mpi, AKilledRankEndsAllAndTheRunGoesOn) {
  make_data(path("data"), {.rows = 1000, .labels = 20, .features = 16});
  const Words words = {"train", path("data"), "--loss", "role", "--epochs", "10", "--out"};
  expect_success(words + Words{path("whole")});
  int after = 2;  // ranks that go on
  for (const size_t victim : {0, 1, 2}) {
    const std::string out = path("run" + std::to_string(victim));
    const Words command = words + Words{out, "--resume", "--checkpoint-every", "20"};
    Running job(SPML_MPIRUN, under_mpirun(3, command));
    while (!std::filesystem::exists(out + "/checkpoint.json") && !job.ended()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::vector<pid_t> ranks = processes_with(out);
    if (ranks.size() == 3) {  // else it was over first
      std::sort(ranks.begin(), ranks.end());
      ::kill(ranks[victim], SIGKILL);
      const Ran ran = job.wait();
      EXPECT_NE(ran.exit_code, 0);
      EXPECT_THAT(lines_of_spml(ran.err), testing::ElementsAre(HasSubstr("another rank has ended")))
          << ran.err;
      EXPECT_TRUE(processes_with(out).empty());
    }
    EXPECT_EQ(run_ranks(after++, command).exit_code, 0);
    for (const char* name : {"model.safetensors", "thresholds.npy", "estimates.npy"}) {
      expect_same_bytes(Path(path("whole")) / name, Path(out) / name);
    }
  }
}

// A rank that hangs is not waited for longer than --timeout, in a step or, where most of the time
// goes with a checkpoint after each of them, at a checkpoint.
TEST_F(Mpi, AStoppedRankIsNotWaitedForForEver) {
  make_data(path("data"), {.rows = 3000, .labels = 20, .features = 16});
  for (const std::string every : {"20", "1", "1"}) {
    const std::string out = path("run");
    Running job(SPML_MPIRUN, under_mpirun(2, {"train", path("data"), "--loss", "role", "--epochs",
                                              "1000", "--out", out, "--overwrite",
                                              "--checkpoint-every", every, "--timeout", "3"}));
    while (!std::filesystem::exists(out + "/checkpoint.json") && !job.ended()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::vector<pid_t> ranks = processes_with(out);
    ASSERT_EQ(ranks.size(), 2u);
    std::sort(ranks.begin(), ranks.end());
    ::kill(ranks[1], SIGSTOP);
    expect_one_line(job.wait(), 1, "rank 0 waited 3 s for the others");
    std::filesystem::remove_all(out);
  }
}

// Ranks that train runs of their own meet at the end of a sweep, and until then nobody waits.
TEST_F(Mpi, AStoppedRankOfASweepIsNoticed) {
  make_data(path("data"), {.rows = 3000, .labels = 20, .features = 16});
  const std::string out = path("sweep");
  Running job(SPML_MPIRUN, under_mpirun(2, {"sweep", path("data"), "--loss", "an,role", "--epochs",
                                            "1000", "--out", out, "--timeout", "2"}));
  while (!std::filesystem::exists(out + "/runs") && !job.ended()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::vector<pid_t> ranks = processes_with(out);
  ASSERT_EQ(ranks.size(), 2u);
  std::sort(ranks.begin(), ranks.end());
  ::kill(ranks[1], SIGSTOP);
  expect_one_line(job.wait(), 1, "rank 0 waited 2 s for the others");
}

}  // namespace
}  // namespace spml
