// spml train without --loss: the settings are chosen by a search.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "training.h"

namespace spml {
namespace {

class Auto : public testing::Test {
 protected:
  TemporaryFolder folder;
  std::string data = make_data(folder / "data", {.rows = 200, .labels = 5, .features = 8});

  Words train(const std::string& name, const Words& more = {}) {
    return Words{"train", data,     "--epochs", "2",     "--trials",
                 "12",    "--json", "--quiet",  "--out", folder / name} +
           more;
  }
};

TEST_F(Auto, SearchesWhereNoLossIsGiven) {
  const auto result = expect_success(train("run")).json();
  EXPECT_EQ(result["selected_on"], "clean");
  EXPECT_EQ(result["thresholds_from"], "clean");
  EXPECT_EQ(result["k_from"], "dataset.json");
  const auto trials = read_lines(folder / "run" / "search.jsonl");
  ASSERT_EQ(trials.size(), 12u);
  int chosen = 0;
  bool blended = false;
  double best = -1, score = 0;
  std::set<std::string> losses;
  for (const auto& trial : trials) {
    losses.insert(trial["loss"].get<std::string>());
    if (trial["stage"] == "final") best = std::max(best, trial["score"].get<double>());
    if (!trial.contains("chosen")) continue;
    ++chosen;
    EXPECT_EQ(trial["loss"], result["loss"]);
    EXPECT_EQ(trial["lr"], result["lr"]);
    EXPECT_EQ(trial["transform"], result["transform"]);
    EXPECT_EQ(trial["weight_decay"], result["weight_decay"]);
    score = trial["score"];
    blended = trial.contains("blend_ridge");
  }
  EXPECT_EQ(chosen, 1);
  EXPECT_GE(score, blended ? 0.99 * best : best);
  const auto config = read_json(folder / "run" / "config.json")["config"];
  EXPECT_EQ(config.value("average", 1), result["loss"] == "ridge" ? 1 : 3);
  EXPECT_EQ(config.value("blend-ridge", false), blended);
  EXPECT_EQ(result["average"], config.value("average", 1));
  EXPECT_EQ(result["blend_ridge"], blended);
  for (const char* loss : {"an", "wan", "epr"}) EXPECT_TRUE(losses.contains(loss)) << loss;
  expect_success({"evaluate", folder / "run", data});
}

TEST_F(Auto, GivesTheSameBytesForEveryNumberOfThreads) {
  expect_success(train("one", {"--threads", "1"}));
  expect_success(train("three", {"--threads", "3"}));
  for (const char* file :
       {"model.safetensors", "calibration.json", "thresholds.npy", "search.jsonl"}) {
    EXPECT_EQ(read_file(folder / "one" / file), read_file(folder / "three" / file)) << file;
  }
}

TEST_F(Auto, WorksOnObservedLabelsAlone) {
  std::filesystem::remove(Path(data) / "formatted_train_labels.npy");
  std::filesystem::remove(Path(data) / "dataset.json");
  const auto result = expect_success(train("run")).json();
  EXPECT_EQ(result["selected_on"], "observed");
  EXPECT_EQ(result["thresholds_from"], "observed");
  EXPECT_EQ(result["k_from"], "observed");
  EXPECT_GE(result["k"], 1);
  const auto role = expect_success({"train", data, "--loss", "role", "--epochs", "2", "--json",
                                    "--quiet", "--out", folder / "role"})
                        .json();
  EXPECT_EQ(role["k_from"], "observed");
}

TEST_F(Auto, SelectsOnCompleteRowsWhereThereAreEnough) {
  const std::string mixed = make_data(folder / "mixed", {.rows = 600, .labels = 5, .features = 8});
  expect_success({"observe", mixed, "--complete-rows", "0.6", "--force"});
  std::filesystem::remove(Path(mixed) / "formatted_train_labels.npy");
  const auto result = expect_success({"train", mixed, "--loss", "wan", "--epochs", "2", "--json",
                                      "--quiet", "--out", folder / "wan"})
                          .json();
  EXPECT_EQ(result["selected_on"], "clean");
  EXPECT_EQ(result["thresholds_from"], "clean");
}

TEST_F(Auto, RefitsOnTrainAndVal) {
  const auto plain = expect_success(train("plain")).json();
  const auto refit = expect_success(train("refit", {"--refit"})).json();
  EXPECT_EQ(refit["refit"], true);
  EXPECT_EQ(refit["loss"], plain["loss"]);
  EXPECT_NE(read_file(folder / "plain" / "model.safetensors"),
            read_file(folder / "refit" / "model.safetensors"));
  EXPECT_EQ(read_file(folder / "plain" / "calibration.json"),
            read_file(folder / "refit" / "calibration.json"));
  EXPECT_EQ(read_json(folder / "refit" / "config.json")["search"]["refit"], true);
  const Words evaluate = {"evaluate", folder / "refit", data, "--json"};
  const Ran test = expect_success(evaluate);
  EXPECT_EQ(test.err, "");
  EXPECT_NEAR(refit["ece"], test.json()["ece"], 1e-6);
  EXPECT_NE(refit["ece"], plain["ece"]);
  EXPECT_THAT(expect_success(evaluate + Words{"--split", "val"}).err,
              testing::HasSubstr("has seen the rows of val"));
}

TEST_F(Auto, ResumesTheSameSearchOnly) {
  const auto result = expect_success(train("run")).json();
  const Words resume = train("run", {"--resume"});
  EXPECT_EQ(expect_success(resume).json(), result);
  expect_failure(resume + Words{"--seed", "7"}, 1, "seed 0, but 7");
  expect_failure(resume + Words{"--k", "3"}, 1, "but 3.0 was asked for");
  expect_failure(resume + Words{"--refit"}, 1, "refit false");
  expect_failure(resume + Words{"--select", "observed"}, 1, "select");
  const Words other_trials = {"train",    data,           "--epochs", "2",
                              "--trials", "13",           "--json",   "--quiet",
                              "--out",    folder / "run", "--resume"};
  expect_failure(other_trials, 1, "trials 12, but 13");
  expect_success({"observe", data, "--seed", "3", "--force"});
  expect_failure(resume, 1, "data_fingerprint");
}

TEST_F(Auto, GoesOnAfterCtrlC) {
  const Words more = {"--epochs", "60", "--threads", "1"};
  const auto words = [&](const char* name) {
    return Words{"train", data, "--trials", "12", "--quiet", "--out", folder / name} + more;
  };
  expect_success(words("whole"));
  const Path journal = folder / "run" / "search.part.jsonl";
  Running running(words("run"));
  const auto lines = [&] {
    std::ifstream in(journal);
    return std::count(std::istreambuf_iterator<char>(in), {}, '\n');
  };
  while (lines() < 3 && !running.ended()) {
  }
  running.signal(SIGINT);
  const Ran stopped = running.wait();
  EXPECT_EQ(stopped.exit_code, 130);
  EXPECT_THAT(stopped.err, testing::HasSubstr("continue with --resume"));
  expect_failure(words("run"), 1, "give --resume");
  expect_failure(words("run") + Words{"--resume", "--seed", "7"}, 1, "seed 0, but 7");
  expect_failure({"sweep", data, "--loss", "an", "--out", folder / "run"}, 1, "found a run");
  EXPECT_GE(lines(), 3);
  expect_success(words("run") + Words{"--resume"});
  EXPECT_FALSE(std::filesystem::exists(journal));
  for (const char* file : {"model.safetensors", "search.jsonl"}) {
    EXPECT_EQ(read_file(folder / "run" / file), read_file(folder / "whole" / file)) << file;
  }
}

TEST_F(Auto, RefusesTheFolderOfAGivenLossBeforeItSearches) {
  expect_success(
      {"train", data, "--loss", "role", "--epochs", "2", "--quiet", "--out", folder / "run"});
  // A hundred thousand trials would not end in time.
  expect_failure(
      {"train", data, "--trials", "100000", "--quiet", "--out", folder / "run", "--resume"}, 1,
      "loss \"role\", but \"auto\"");
}

TEST_F(Auto, RefusesWhatTheSearchChooses) {
  for (const Words& given :
       {Words{"--lr", "0.1"}, Words{"--batch", "16"}, Words{"--transform", "none"},
        Words{"--weight-decay", "0"}, Words{"--average", "2"}, Words{"--blend-ridge"},
        Words{"--estimator", "factored"}, Words{"--rank", "4"}, Words{"--hidden", "8"}}) {
    expect_failure(train("x", given), 2, given.front() + ": the search chooses it");
  }
  expect_failure(train("x", {"--param", "alpha=1"}), 2, "--param");
  expect_failure(train("x", {"--loss", "an"}), 2, "--trials");
  expect_failure({"train", data, "--loss", "an", "--trials", "56", "--out", folder / "x"}, 2,
                 "--trials");
}

}  // namespace
}  // namespace spml
