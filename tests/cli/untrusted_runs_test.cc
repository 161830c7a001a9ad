// Runs, experiments and labels of others: one line that names the file, and no more work than their
// size calls for.
#include <sys/stat.h>

#include "base/folders.h"
#include "untrusted.h"

namespace spml {
namespace {

class UntrustedRuns : public Untrusted {};

void replace_in(const Path& path, const std::string& from, const std::string& to) {
  std::string text = read_file(path);
  ASSERT_NE(text.find(from), std::string::npos) << text;
  write_text(path, text.replace(text.find(from), from.size(), to));
}

TEST_F(UntrustedRuns, ASuggestionListHasABoundedLength) {
  const std::string run = finished_run();
  for (const std::string flag : {"top", "per-class"}) {
    for (const std::string count : {"0", "9223372036854775308"}) {
      write_text(folder_ / "c.json", "{\"" + flag + "\": " + count + "}");
      expect_failure({"suggest", run, folder_ / "data", "--folds", "0", "--config",
                      folder_ / "c.json", "--out", folder_ / "l.csv"},
                     2, flag);
    }
  }
}

// Every label but one of 20 rows x 4,000 is known: their pairs alone would be 5 GB.
TEST_F(UntrustedRuns, RowsOfManyKnownLabelsTakeNoSquare) {
  const Path data = folder_ / "known";
  make_folder(data);
  const size_t rows = 20, labels = 4000;
  std::vector<int8_t> observed(rows * labels, 1);
  std::vector<float> features(rows * 2);
  for (size_t i = 0; i < rows; ++i) {
    observed[i * labels] = 0;
    observed[i * labels + 1] = observed[i * labels + 2] = -1;
    features[2 * i] = static_cast<float>(i % 5);
    features[2 * i + 1] = static_cast<float>(i % 3);
  }
  write_npy(data / "formatted_train_labels_obs.npy",
            View<const int8_t>{observed.data(), rows, labels});
  write_npy(data / "train_features_imagenet_resnet50.npy",
            View<const float>{features.data(), rows, 2});
  const std::string run = folder_ / "run";
  expect_success({"train", data, "--loss", "an", "--epochs", "1", "--batch", "8", "--k", "2",
                  "--threads", "1", "--quiet", "--out", run});
  expect_success({"suggest", run, data, "--folds", "0", "--threads", "1", "--quiet", "--out",
                  folder_ / "l.csv"});
}

TEST_F(UntrustedRuns, WhatARunSaysOfItselfIsAnErrorOfItsFile) {
  const std::string run = finished_run(), data = folder_ / "data";
  const Path config = Path(run) / "config.json", result = Path(run) / "result.json";
  const std::string good_config = read_file(config), good_result = read_file(result);
  const Words suggest = {"suggest", run, data, "--quiet", "--out", folder_ / "l.csv"};
  replace_in(config, "\"param\": {}", "\"param\": {\"zz\": 1}");
  expect_failure(suggest, 1, config.string());
  write_text(config, good_config);
  replace_in(config, "\"mode\": \"linear\"", "\"mode\": \"finetune\"");
  expect_failure(suggest, 1, config.string());
  write_text(config, good_config);
  replace_in(result, "\"loss\": \"an\"", "\"loss\": \"zzz\\u001b[2J\"");
  expect_failure(
      {"train", data, "--loss", "an", "--epochs", "1", "--quiet", "--out", run, "--resume"}, 1,
      result.string());
  expect_failure({"report", run, "--out", folder_ / "r.html"}, 1, result.string());
  write_text(result, good_result);
  auto own = read_json(config);
  own["config"]["own-loss"] = true;
  write_text(config, own.dump());
  expect_success({"report", run, "--out", folder_ / "r.html"});
}

TEST_F(UntrustedRuns, TheNameOfAnExperimentCannotCommandTheTerminal) {
  const std::string file = folder_ / "a\x1b[2Jb.json";
  write_text(file, R"({"rows": [{"statistic": "labels"}]})");
  const Ran ran =
      expect_success({"reproduce", file, "--data", "toy=" + data(), "--out", folder_ / "out"});
  EXPECT_EQ(ran.out.find('\x1b'), std::string::npos) << ran.out;
  EXPECT_EQ(ran.err.find('\x1b'), std::string::npos) << ran.err;
}

TEST_F(UntrustedRuns, OverwritingReplacesNoPipe) {
  const std::string run = finished_run();
  const std::string pipe = run + "/checkpoint.json";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_failure({"train", folder_ / "data", "--loss", "an", "--epochs", "1", "--quiet", "--out",
                  run, "--overwrite"},
                 1, pipe);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_TRUE(std::filesystem::exists(run + "/result.json"));
}

}  // namespace
}  // namespace spml
