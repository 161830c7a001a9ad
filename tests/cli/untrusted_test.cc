// Files of others, given to the program with its address space limited to 4 GB: exit 1 and one
// line, whatever they hold.
#include <sys/stat.h>

#include <thread>

#include "base/folders.h"
#include "untrusted.h"

namespace spml {
namespace {

// A finished run whose config.json says that it was fine-tuned.
void as_fine_tuned(const Path& run) {
  auto config = read_json(run / "config.json");
  config["config"]["mode"] = "finetune";
  write_text(run / "config.json", config.dump());
}

TEST_F(Untrusted, AFineTunedRunDoesNotScoreTheFeaturesOfAFolder) {
  const std::string wide = make_data(folder_ / "wide", {.features = 3000});
  const std::string run = finished_run();
  expect_failure({"estimate-k", wide, "--from-observed", run}, 1, "expected 12 features");
  as_fine_tuned(run);
  expect_failure({"estimate-k", wide, "--from-observed", run}, 1, "expected a linear run");
}

TEST_F(Untrusted, AModelLargerThanMemoryIsRefusedBeforeItIsMade) {
  const Path wide = folder_ / "wide";
  make_folder(wide);
  const size_t rows = 20, labels = 40'000;
  std::vector<int8_t> observed(rows * labels);
  for (size_t i = 0; i < rows; ++i) observed[i * labels + i] = 1;
  write_npy(wide / "formatted_train_labels_obs.npy",
            View<const int8_t>{observed.data(), rows, labels});
  write_sparse_npy(wide / "train_features_imagenet_resnet50.npy", DType::kF32, 4, {rows, 20'000});
  expect_failure({"train", wide, "--loss", "an", "--epochs", "1", "--batch", "4", "--quiet",
                  "--out", folder_ / "out"},
                 1, "a linear model of 40000 labels x 20000 features needs 9.6 GB");
}

TEST_F(Untrusted, AFileOfTooManyLabelsIsRefused) {
  write_sparse_npy(folder_ / "sparse/formatted_train_labels.npy", DType::kI8, 1, {1, 40'000'000});
  expect_failure({"stats", folder_ / "sparse"}, 1, "at most 1000000 labels");
}

TEST_F(Untrusted, OneLongNameDoesNotPadAllOthers) {
  std::string table = "image,label\n" + std::string(1000, 'x') + ",cat\n";
  for (int i = 0; i < 100'000; ++i) table += std::to_string(i) + ",cat\n";
  write_text(folder_ / "t.csv", table);
  expect_failure({"import", "csv", folder_ / "t.csv", "--allow-missing", "--out", folder_ / "out"},
                 1, "shorten it");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

TEST_F(Untrusted, AModelOfNoLabelsAndManyFeaturesIsRefused) {
  const std::string run = finished_run();
  auto config = read_json(Path(run) / "config.json");
  config["classes"] = nlohmann::json::array();
  write_text(Path(run) / "config.json", config.dump());
  const std::string header =
      R"({"classifier.weight":{"dtype":"F32","shape":[0,40000000],"data_offsets":[0,0]},)"
      R"("classifier.bias":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})";
  std::string length(8, '\0');
  length[0] = static_cast<char>(header.size());
  write_text(Path(run) / "model.safetensors", length + header);
  expect_failure({"evaluate", run, folder_ / "data"}, 1,
                 "config.json: expected at least one class");
}

TEST_F(Untrusted, NestingIsBounded) {
  const std::string deep = "{\"a\":" + std::string(200'000, '[') + std::string(200'000, ']') + "}";
  const std::string run = finished_run();
  write_text(folder_ / "deep.json", deep);
  expect_failure(
      {"train", folder_ / "data", "--config", folder_ / "deep.json", "--out", folder_ / "x"}, 2,
      "nested");
  write_text(Path(run) / "result.json", deep);
  expect_failure({"report", run, "--out", folder_ / "r.html"}, 1, "nested");
}

TEST_F(Untrusted, RunsOfAnExperimentAreBounded) {
  nlohmann::json experiment = {{"rows", {{{"loss", "an"}}}}, {"seeds", 1000}};
  for (int i = 1; i <= 1000; ++i) {
    experiment["lr"].push_back(i * 1e-6);
    experiment["batch"].push_back(i);
  }
  write_text(folder_ / "mine.json", experiment.dump());
  expect_failure({"reproduce", folder_ / "mine.json", "--data", "toy=" + data(), "--quiet", "--out",
                  folder_ / "out"},
                 1, "expected at most 100000 runs on a data set, found 1000000000");
}

TEST_F(Untrusted, ImageSizesOfARunAreBounded) {
  const std::string run = finished_run();
  as_fine_tuned(run);
  for (const int size : {-1, 30'000}) {
    auto config = read_json(Path(run) / "config.json");
    config["config"]["size"] = size;
    write_text(Path(run) / "config.json", config.dump());
    expect_failure({"evaluate", run, folder_ / "data"}, 1, "'size': expected a whole number from");
  }
}

TEST_F(Untrusted, NamesCannotCommandTheTerminal) {
  const std::string out = data(), run = folder_ / "run";
  auto info = read_json(Path(out) / "dataset.json");
  for (auto& name : info["classes"]) name = "\x1b[2J\xc2\x9b" + name.get<std::string>() + "\r\n";
  write_text(Path(out) / "dataset.json", info.dump());
  for (const Words& words :
       {Words{"stats", out}, Words{"train", out, "--loss", "an", "--epochs", "1", "--out", run},
        Words{"evaluate", run, out}, Words{"estimate-k", out}, Words{"stats", out, "--json"},
        Words{"evaluate", run, out, "--json"}, Words{"stats", folder_ / "no\x1b[2Jfolder"}}) {
    const Ran ran = run_program(words);
    for (const std::string& text : {ran.out, ran.err}) {
      for (const char* command : {"\x1b", "\xc2\x9b", "\r"}) {
        EXPECT_EQ(text.find(command), std::string::npos) << words[0] << ": " << text;
      }
    }
  }
}

TEST_F(Untrusted, APipeIsNeitherWaitedForNorReplaced) {
  const std::string run = finished_run(), pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_failure({"report", run, "--out", pipe}, 1, "found a pipe");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  expect_failure({"predict", run, "--features", pipe, "--out", folder_ / "p.csv"}, 1,
                 "regular file");
}

TEST_F(Untrusted, TwoWritersDoNotMixTheirFiles) {
  const std::string out = data();
  const std::string lock = out + "/.spml.lock";
  const FileLock held(lock, "test");
  for (const Words& words :
       {Words{"synth", "--out", out, "--overwrite"}, Words{"observe", out, "--force"}}) {
    expect_failure(words, 1, "another spml process is using it");
  }
}

TEST_F(Untrusted, AFileCutShortWhileItIsReadIsOneLine) {
  const std::string out = data();
  const Path features = Path(out) / "train_features_imagenet_resnet50.npy";
  const std::string whole = read_file(features);
  Running running(
      {"train", out, "--loss", "an", "--epochs", "50000", "--quiet", "--out", folder_ / "run"});
  while (!std::filesystem::exists(folder_ / "run" / "metrics.jsonl") && !running.ended()) {
    std::this_thread::yield();
  }
  std::filesystem::resize_file(features, 0);
  const Ran ran = running.wait();
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_EQ(ran.err, "spml: error: " + std::filesystem::canonical(features).string() +
                         ": the file became shorter, or its disk failed, while it was read\n");
}

TEST_F(Untrusted, ALongNameIsOneLine) {
  const std::string name = folder_ / std::string(300, 'x');
  for (const Words& words : {Words{"stats", name}, Words{"report", name},
                             Words{"import", "folder", name, "--out", folder_ / "out"}}) {
    const Ran ran = run_program(words);
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_THAT(ran.err, testing::AllOf(testing::HasSubstr("File name too long"),
                                        testing::Not(testing::HasSubstr("filesystem error"))));
  }
}

}  // namespace
}  // namespace spml
