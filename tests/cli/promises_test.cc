// What docs/security.md promises of whole commands: no success that cannot be read again, no file
// of others replaced, no work that ends because nobody reads what it says.
#include <fmt/core.h>

#include <array>

#include "data/dataset.h"
#include "formats/npy.h"
#include "paths.h"
#include "training.h"

namespace spml {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Ran in_shell(const std::string& words) { return Running("/bin/sh", {"-c", words}).wait(); }

std::vector<float> features_of(const Path& data, float scale) {
  const NpyArray array(features_file(data, "train"));
  std::vector<float> values(array.rows() * array.cols());
  for (size_t i = 0; i < array.rows(); ++i) {
    array.read_row(i, std::span(values).subspan(i * array.cols(), array.cols()));
  }
  for (float& value : values) value *= scale;
  return values;
}

TEST(Diverged, IsAnErrorWhateverTheLossSays) {
  const TemporaryFolder folder;
  const std::string data = make_data(folder / "data");
  for (const Words& flags : {Words{"--loss", "an", "--lr", "1e39"},
                             Words{"--loss", "an", "--lr", "1e39", "--average", "2"},
                             Words{"--loss", "role", "--param", "lambda=1e308"},
                             Words{"--loss", "epr", "--param", "lambda=1e308"}}) {
    std::filesystem::remove_all(folder / "out");
    const Ran ran = run_program(Words{"train", data, "--quiet", "--out", folder / "out"} + flags);
    EXPECT_EQ(ran.exit_code, 1) << testing::PrintToString(flags);
    EXPECT_THAT(ran.err,
                AllOf(HasSubstr("training diverged at epoch 1"), HasSubstr("try a smaller")));
    EXPECT_FALSE(std::filesystem::exists(folder / "out" / "result.json"));
    EXPECT_FALSE(std::filesystem::exists(folder / "out" / "model.safetensors"));
  }
}

TEST(Diverged, FeaturesThatHardlyVaryAreNoTrouble) {
  const TemporaryFolder folder;
  const std::string data = make_data(folder / "data");
  for (const float scale : {1e-40f, 3e-39f}) {
    const std::vector<float> tiny = features_of(data, scale);
    write_npy(features_file(data, "train"), View<const float>{tiny.data(), 150, 12});
    expect_success({"train", data, "--loss", "an", "--transform", "standardize", "--quiet", "--out",
                    folder / "out", "--overwrite"});
    expect_success({"evaluate", folder / "out", data});
  }
}

TEST(Diverged, ASweepNamesTheRunAndGoesOn) {
  const TemporaryFolder folder;
  const Words sweep = {"sweep",         make_data(folder / "data"),
                       "--loss",        "an",
                       "--lr",          "1e39,1e-2",
                       "--batch",       "16",
                       "--epochs",      "2",
                       "--quiet",       "--out",
                       folder / "sweep"};
  for (int time = 0; time < 2; ++time) {
    const Ran ran = run_program(sweep);
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_THAT(ran.err, AllOf(HasSubstr("an-lr1e+39"), HasSubstr("diverged")));
    EXPECT_EQ(read_lines(folder / "sweep" / "results.jsonl").size(), 1u);
  }
}

TEST(StandardStreams, ALogOnAFullDiskEndsNothing) {
  const TemporaryFolder folder;
  const std::string train =
      fmt::format("{} train {} --trials 4 --epochs 1 --overwrite --out {}", program_path().string(),
                  make_data(folder / "data"), (folder / "out").string());
  for (const char* streams : {"2>/dev/full", "2>&-", "0<&- 1>&- 2>&-"}) {
    const Ran ran = in_shell(train + " " + streams);
    EXPECT_EQ(ran.exit_code, 0) << streams << ran.err;
    EXPECT_EQ(read_lines(folder / "out" / "search.jsonl").size(), 4u);
  }
  for (const char* streams : {"2>/dev/full", "2>&-"}) {
    EXPECT_EQ(
        in_shell(program_path().string() + " train nowhere --out nowhere " + streams).exit_code, 1);
  }
}

TEST(StandardStreams, ALimitOfFilesAndAPipeNobodyReadsAreOneLine) {
  const TemporaryFolder folder;
  const Ran limited = in_shell("ulimit -f 1; exec " + program_path().string() + " synth --out " +
                               (folder / "x").string());
  EXPECT_EQ(limited.exit_code, 1);
  EXPECT_THAT(limited.err, AllOf(HasSubstr("spml: error: "), HasSubstr("File too large")));
  // The reader has gone when the program starts.
  const Ran piped = in_shell("(sleep 0.2; " + program_path().string() +
                             " man train; echo \"code $?\" >&2) | true");
  EXPECT_THAT(piped.err,
              AllOf(HasSubstr("standard output: cannot write: Broken pipe"), HasSubstr("code 1")));
}

TEST(Fingerprint, EveryRowCounts) {
  const TemporaryFolder folder;
  const std::string data = make_data(folder / "data", {600, 4, 8});
  const Words train = {"train", data,      "--loss",   "an",    "--epochs",
                       "1",     "--quiet", "--resume", "--out", folder / "out"};
  expect_success(train);
  expect_success(train);
  std::vector<float> values = features_of(data, 1);
  for (const size_t row : {1u, 4u, 599u}) {  // between those that 0.2 looked at
    values[row * 8] += 1;
    write_npy(features_file(data, "train"), View<const float>{values.data(), 600, 8});
    expect_failure(train, 1, "data_fingerprint");
    values[row * 8] -= 1;
  }
}

TEST(Overwrite, ReplacesNoModelOfOthers) {
  const TemporaryFolder folder;
  const Path model = folder / "model";
  std::filesystem::create_directory(model);
  const std::string config = R"({"architectures": ["ResNetForImageClassification"]})";
  write_file(model / "config.json", config);
  const Words train = {
      "train", make_data(folder / "data"), "--loss", "an", "--epochs", "1", "--quiet", "--out",
      model};
  for (const char* flag : {"--overwrite", "--resume"}) {
    expect_failure(train + Words{flag}, 1, "config.json: expected a file of a run");
  }
  EXPECT_EQ(read_file(model / "config.json"), config);
  std::filesystem::remove(model / "config.json");
  const std::string header = R"({"__metadata__":{"format":"pt"}})";
  const uint64_t size = header.size();
  write_file(model / "model.safetensors",
             std::string(reinterpret_cast<const char*>(&size), sizeof size) + header);
  expect_failure(train + Words{"--overwrite"}, 1, "model.safetensors: expected a file of a run");
}

TEST(Unfinished, SaysWhichCommandHasToGoOn) {
  const TemporaryFolder folder;
  const std::string data = make_data(folder / "data");
  write_file(Path(data) / ".spml.unfinished", "observe");
  expect_failure({"stats", data}, 1, "`spml observe` was stopped while it put its files in place");
  expect_success({"observe", data, "--force"});
  expect_success({"stats", data});
}

}  // namespace
}  // namespace spml
