// Runs that are killed, interrupted, out of disk or diverging.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <random>
#include <thread>

#include "formats/npy.h"
#include "training.h"

namespace spml {
namespace {

using testing::HasSubstr;

void sleep_seconds(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

bool wait_for_file(Running& running, const Path& path) {
  while (!std::filesystem::exists(path)) {
    if (running.ended()) return std::filesystem::exists(path);
    sleep_seconds(0.0005);
  }
  return true;
}

// Until a run is somewhere among its steps.
void wait_for_epochs(Running& running, const Path& run) {
  wait_for_file(running, run / "metrics.jsonl");
  while (!running.ended() && std::filesystem::file_size(run / "metrics.jsonl") < 500) {
    sleep_seconds(0.0005);
  }
}

// Until a run has written this many more checkpoints, or has ended.
void wait_for_checkpoints(Running& running, const Path& checkpoint, int count) {
  const auto written = [&] {
    std::error_code absent;
    return std::filesystem::last_write_time(checkpoint, absent);
  };
  for (auto last = written(); count > 0 && !running.ended(); sleep_seconds(0.0002)) {
    if (written() == last) continue;
    last = written();
    --count;
  }
}

// A file system of its own, unmounted at the end.
class SmallDisk {
 public:
  SmallDisk(const Path& path, const char* options) : path_(path) {
    std::filesystem::create_directory(path);
    mounted_ = ::mount("tmpfs", path.c_str(), "tmpfs", 0, options) == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) ::umount(path_.c_str());
  }
  bool mounted() const { return mounted_; }

 private:
  Path path_;
  bool mounted_ = false;
};

// What is trained: flags, and the file in which its estimates end.
struct Trained {
  std::string name;
  Words flags;
  std::string estimates = "";
};
void PrintTo(const Trained& trained, std::ostream* out) { *out << trained.name; }

class Kill : public testing::TestWithParam<Trained> {};

// Killed at random moments between any two checkpoints, of which a whole run writes 19. The moments
// are counted in checkpoints, not in seconds: a busy machine does not move them.
TEST_P(Kill, ManyTimesEndsWithTheSameBytes) {
  TemporaryFolder folder;
  const std::string data = make_data(folder / "data", {240, 12, 24});
  const Words train = Words{"train", data} + GetParam().flags +
                      Words{"--epochs", "8", "--batch", "8", "--threads", "2", "--out"};
  const Words often = {"--quiet", "--checkpoint-every", "10"};
  expect_success(train + Words{folder / "whole"});

  std::mt19937 random(7);
  int kills = 0, resumed = 0;
  for (int run = 0; kills < 24 && run < 60; ++run) {
    const Path out = folder / ("run" + std::to_string(run));
    const Path checkpoint = out / "checkpoint.safetensors";
    for (;;) {
      Running running(train + Words{out, "--resume"} + often);
      wait_for_checkpoints(running, checkpoint, std::uniform_int_distribution<>(0, 12)(random));
      sleep_seconds(std::uniform_real_distribution<>(0, 0.004)(random));
      if (!running.ended()) running.signal(SIGKILL);
      const Ran ran = running.wait();
      if (ran.exit_code == 0) break;  // too late
      ASSERT_EQ(ran.exit_code, 128 + SIGKILL) << ran.err;
      const bool had_checkpoint = std::filesystem::exists(checkpoint);
      if (++kills % 3 != 0) continue;
      // A resumed run goes on from a checkpoint that was written.
      const Ran rest =
          expect_success(train + Words{out, "--resume", "--json", "--checkpoint-every", "10"});
      const int from = rest.json()["resumed_from_step"];
      if (from > 0) ++resumed;
      if (had_checkpoint && rest.err.find("finished already") == std::string::npos) {
        EXPECT_GT(from, 0);
        EXPECT_EQ(from % 10, 0);
      }
      break;
    }
    expect_finished(out, GetParam().estimates);
    expect_same_run(folder / "whole", out);
    std::filesystem::remove_all(out);
  }
  EXPECT_GE(kills, 24);
  EXPECT_GT(resumed, 0);
}

// Right after the first of the outputs appears, until the last does.
TEST_P(Kill, WhileTheOutputsAreWritten) {
  TemporaryFolder folder;
  const std::string data = make_data(folder / "data");
  const Words two_epochs = Words{"train", data, "--epochs", "2", "--out"};
  const Words train =
      two_epochs + Words{folder / "out", "--checkpoint-every", "5", "--quiet"} + GetParam().flags;
  expect_success(two_epochs + Words{folder / "whole"} + GetParam().flags);
  int unfinished = 0;
  // More than twelve times only if a busy machine let all of them finish.
  for (int i = 0; i < 12 || (unfinished == 0 && i < 120); ++i) {
    Running running(train + Words{"--overwrite"});
    // --overwrite must have removed what is there before it can appear again.
    wait_for_file(running, folder / "out" / "checkpoint.safetensors");
    wait_for_file(running, folder / "out" / "model.safetensors");
    sleep_seconds(0.0004 * (i % 12));
    running.signal(SIGKILL);
    running.wait();
    if (!std::filesystem::exists(folder / "out" / "result.json")) ++unfinished;
    expect_success(train + Words{"--resume"});
    expect_finished(folder / "out", GetParam().estimates);
    expect_same_run(folder / "whole", folder / "out");
    std::filesystem::remove_all(folder / "out");
  }
  EXPECT_GT(unfinished, 0);
}

TEST_P(Kill, InterruptKeepsACheckpoint) {
  TemporaryFolder folder;
  const std::string data = make_data(folder / "data");
  const Words train = Words{"train", data} + GetParam().flags + Words{"--epochs", "1000", "--out"};
  Running running(train + Words{folder / "out"});
  wait_for_epochs(running, folder / "out");
  running.signal(SIGINT);
  const Ran ran = running.wait();
  EXPECT_EQ(ran.exit_code, 130) << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("--resume"));
  EXPECT_TRUE(std::filesystem::exists(folder / "out" / "checkpoint.safetensors"));
  const Ran rest = expect_success(train + Words{folder / "out", "--resume", "--json"});
  EXPECT_GT(rest.json()["resumed_from_step"], 0);
  expect_success(train + Words{folder / "whole"});
  expect_same_run(folder / "whole", folder / "out");
}

const Trained kTrained[] = {
    {"an", {"--loss", "an"}},
    {"role", {"--loss", "role"}, "estimates.npy"},
    {"factored",
     {"--loss", "role", "--estimator", "factored", "--rank", "5"},
     "estimator.safetensors"},
    {"network",
     {"--loss", "role", "--estimator", "network", "--hidden", "9", "--transform", "standardize"},
     "estimator.safetensors"},
};
INSTANTIATE_TEST_SUITE_P(Losses, Kill, testing::ValuesIn(kTrained),
                         [](const auto& trained) { return trained.param.name; });

TEST(Survive, AFullDiskIsOneLineAndEarlierResultsStay) {
  TemporaryFolder folder;
  const std::string data = make_data(folder / "data", {150, 40, 200});
  const Path disk = folder / "disk";
  const SmallDisk small_disk(disk, "size=128k");
  if (!small_disk.mounted()) GTEST_SKIP() << "mounting a small tmpfs needs root";
  const Words train = {"train", data, "--loss", "an", "--epochs", "1", "--quiet", "--out"};
  expect_success(train + Words{disk / "first"});
  // The state of a run is three times its model: there is no room for a second one.
  expect_failure(train + Words{disk / "second", "--checkpoint-every", "1"}, 1, "No space left");
  EXPECT_FALSE(std::filesystem::exists(disk / "second" / "result.json"));
  EXPECT_FALSE(std::filesystem::exists(disk / "second" / "checkpoint.safetensors"));
  expect_finished(disk / "first");
  expect_success({"evaluate", disk / "first", data, "--json"});
  // With room again the run starts.
  std::filesystem::remove_all(disk / "first");
  expect_success(train + Words{disk / "second", "--resume"});
}

TEST(Survive, OutputThatDoesNotArriveIsAFailure) {
  for (const std::string words : {"--version", "help", "losses --json", "man train"}) {
    Running running("/bin/sh", {"-c", program_path().string() + " " + words + " > /dev/full"});
    const Ran ran = running.wait();
    EXPECT_EQ(ran.exit_code, 1) << words;
    EXPECT_THAT(ran.err, HasSubstr("spml: error: standard output: cannot write: No space"))
        << words;
  }
}

TEST(Survive, ASecondProcessOnTheSameFolderRefuses) {
  TemporaryFolder folder;
  const std::string data = make_data(folder / "data");
  std::filesystem::create_directory(folder / "out");
  const std::string name = folder / "out" / ".lock";
  const int fd = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  ASSERT_EQ(::flock(fd, LOCK_EX | LOCK_NB), 0);
  const Words train = {"train", data, "--loss", "an", "--epochs", "1", "--out", folder / "out"};
  for (const char* flag : {"--quiet", "--resume", "--overwrite"}) {
    expect_failure(train + Words{flag}, 1, "another spml process");
  }
  ::close(fd);
  expect_success(train);
}

TEST(Survive, ADivergedRunIsAnErrorWithoutAResult) {
  TemporaryFolder folder;
  const std::string data = make_data(folder / "data");
  for (const char* loss : {"an", "role", "epr"}) {
    expect_failure(
        {"train", data, "--loss", loss, "--lr", "1e38", "--quiet", "--out", folder / loss}, 1,
        "diverged");
    EXPECT_FALSE(std::filesystem::exists(folder / loss / "result.json"));
    EXPECT_FALSE(std::filesystem::exists(folder / loss / "model.safetensors"));
  }
  std::vector<float> huge(150 * 12);
  for (size_t i = 0; i < huge.size(); ++i) huge[i] = i * 2654435761u >> 16 & 1 ? 3.4e38f : -3.4e38f;
  write_npy(Path(data) / "train_features_imagenet_resnet50.npy",
            View<const float>{huge.data(), 150, 12});
  expect_failure({"train", data, "--loss", "an", "--quiet", "--out", folder / "huge"}, 1,
                 "diverged");
  EXPECT_FALSE(std::filesystem::exists(folder / "huge" / "result.json"));
}

TEST(Survive, ResumeAndOverwriteFollowTheFolder) {
  TemporaryFolder folder;
  const std::string data = make_data(folder / "data"), out = folder / "out";
  const Words train = {"train", data, "--loss", "an", "--epochs", "2", "--out", out};
  // Nothing to resume: starts.
  EXPECT_EQ(expect_success(train + Words{"--resume", "--json"}).json()["resumed_from_step"], 0);
  const auto result = read_json(folder / "out" / "result.json");
  const auto written = std::filesystem::last_write_time(folder / "out" / "model.safetensors");
  expect_failure(train + Words{"--quiet"}, 1, "not empty");
  expect_failure(train + Words{"--resume", "--overwrite"}, 2, "exclude");
  // Finished: does nothing and says so.
  const Ran again = expect_success(train + Words{"--resume", "--json"});
  EXPECT_THAT(again.err, HasSubstr("nothing to do"));
  EXPECT_EQ(again.json(), result);
  EXPECT_EQ(std::filesystem::last_write_time(folder / "out" / "model.safetensors"), written);
  // Finished or not, with or without a checkpoint: another run is not gone on with.
  expect_failure(train + Words{"--resume", "--lr", "0.5"}, 1, "lr 0.001");
  std::filesystem::remove(folder / "out" / "result.json");
  expect_failure(train + Words{"--resume", "--batch", "8"}, 1, "batch 16");
  expect_success({"observe", data, "--seed", "3", "--force"});
  expect_failure(train + Words{"--resume"}, 1, "data_fingerprint");

  // A failure to start leaves what --overwrite would have replaced; other files stay always.
  std::ofstream(folder / "out" / "notes.tmp-1") << "mine";
  const std::string model = read_file(folder / "out" / "model.safetensors");
  expect_failure(train + Words{"--overwrite", "--batch", "5000"}, 1, "batch of 5000");
  EXPECT_TRUE(read_file(folder / "out" / "model.safetensors") == model);
  EXPECT_EQ(expect_success(train + Words{"--overwrite", "--lr", "0.01", "--json"}).json()["lr"],
            0.01);
  EXPECT_EQ(read_file(folder / "out" / "notes.tmp-1"), "mine");
}

TEST(Survive, ATruncatedCheckpointIsAnError) {
  TemporaryFolder folder;
  const std::string data = make_data(folder / "data");
  const Words train = {"train", data,      "--loss", "role",        "--epochs",
                       "1000",  "--quiet", "--out",  folder / "out"};
  const Path checkpoint = folder / "out" / "checkpoint.safetensors";
  Running running(train);
  wait_for_epochs(running, folder / "out");
  running.signal(SIGINT);
  ASSERT_EQ(running.wait().exit_code, 130);
  std::filesystem::resize_file(checkpoint, std::filesystem::file_size(checkpoint) / 2);
  expect_failure(train + Words{"--resume"}, 1, "checkpoint.safetensors");
  expect_failure(train + Words{"--resume"}, 1, "start again with --overwrite");
  EXPECT_FALSE(std::filesystem::exists(folder / "out" / "result.json"));
}

}  // namespace
}  // namespace spml
