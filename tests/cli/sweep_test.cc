// spml sweep: the same for any number of jobs and shards, and only what is missing is done.
#include <cmath>
#include <csignal>
#include <fstream>
#include <map>

#include "training.h"

namespace spml {
namespace {

class Sweep : public testing::Test {
 protected:
  Words sweep(const std::string& out, const Words& more = {}) {
    return Words{"sweep",   data,     "--loss",  "an,role",   "--lr",     "1e-2,1e-3",
                 "--batch", "8",      "--seeds", "1,2,3",     "--epochs", "3",
                 "--quiet", "--json", "--out",   folder / out} +
           more;
  }
  std::map<std::string, Path> runs(const std::string& out) {
    std::map<std::string, Path> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder / out / "runs")) {
      found[entry.path().filename()] = entry.path();
    }
    return found;
  }
  static nlohmann::json without_all_times(nlohmann::json best) {
    best = without_times(best);
    for (auto& winner : best["best"]) winner = without_times(winner);
    return best;
  }

  TemporaryFolder folder;
  std::string data = make_data(folder / "data");
};

TEST_F(Sweep, JobsAndShardsGiveTheSameBytes) {
  const auto one = expect_success(sweep("one", {"--jobs", "1"})).json();
  const auto two = expect_success(sweep("two", {"--jobs", "2"})).json();
  EXPECT_EQ(one["runs"], 12);
  EXPECT_EQ(keys(one), (std::set<std::string>{"runs", "best", "seconds"}));
  EXPECT_EQ(without_all_times(one), without_all_times(two));
  EXPECT_EQ(runs("one").size(), 12u);
  for (const auto& [name, path] : runs("one")) {
    expect_same_run(path, folder / "two" / "runs" / name);
  }

  const auto half = expect_success(sweep("shards", {"--shard", "1/2"})).json();
  EXPECT_EQ(half["runs"], 6);
  expect_success(sweep("shards", {"--shard", "2/2"}));
  EXPECT_EQ(without_all_times(read_json(folder / "shards" / "best.json")),
            without_all_times(read_json(folder / "one" / "best.json")));
  EXPECT_EQ(read_lines(folder / "shards" / "results.jsonl").size(), 12u);
  expect_failure(sweep("shards", {"--shard", "3/2"}), 2, "--shard");
}

TEST_F(Sweep, TheWinnerHasTheBestMeanOverSeeds) {
  const auto best = expect_success(sweep("out")).json()["best"];
  EXPECT_EQ(keys(best), (std::set<std::string>{"an", "role"}));
  const auto lines = read_lines(folder / "out" / "results.jsonl");
  ASSERT_EQ(lines.size(), 12u);
  for (const std::string loss : {"an", "role"}) {
    std::map<double, std::vector<nlohmann::json>> by_rate;
    for (const auto& line : lines) {
      if (line["loss"] == loss) by_rate[line["lr"]].push_back(line);
    }
    ASSERT_EQ(by_rate.size(), 2u);
    const auto mean = [](const std::vector<nlohmann::json>& group, const char* field) {
      return (group[0][field].get<double>() + group[1][field].get<double>() +
              group[2][field].get<double>()) /
             3;
    };
    const double lr = mean(by_rate[1e-2], "val_map") > mean(by_rate[1e-3], "val_map") ? 1e-2 : 1e-3;
    const auto& group = by_rate[lr];
    const double test_mean = mean(group, "test_map");
    double squares = 0;
    for (const auto& run : group) squares += std::pow(run["test_map"].get<double>() - test_mean, 2);
    EXPECT_EQ(best[loss]["lr"], lr);
    EXPECT_NEAR(best[loss]["val_map_mean"], mean(group, "val_map"), 1e-9);
    EXPECT_NEAR(best[loss]["test_map_mean"], test_mean, 1e-9);
    EXPECT_NEAR(best[loss]["test_map_std"], std::sqrt(squares / 2), 1e-9);
    EXPECT_GT(squares, 0);
  }
}

TEST_F(Sweep, ARerunDoesOnlyWhatIsMissing) {
  const auto before = expect_success(sweep("out")).json();
  std::map<std::string, std::filesystem::file_time_type> written;
  for (const auto& [name, path] : runs("out")) {
    written[name] = std::filesystem::last_write_time(path / "result.json");
  }
  const std::string victim = written.begin()->first;
  std::filesystem::remove(folder / "out" / "runs" / victim / "result.json");
  const auto after = expect_success(sweep("out", {"--resume"})).json();
  EXPECT_EQ(without_all_times(before), without_all_times(after));
  for (const auto& [name, path] : runs("out")) {
    const auto now = std::filesystem::last_write_time(path / "result.json");
    EXPECT_EQ(now != written[name], name == victim) << name;
  }
  expect_success(sweep("out", {"--overwrite"}));
  for (const auto& [name, path] : runs("out")) {
    EXPECT_NE(std::filesystem::last_write_time(path / "result.json"), written[name]);
  }
}

TEST_F(Sweep, OtherDataInTheSameFolderIsAnError) {
  expect_success(sweep("out"));
  expect_success({"observe", data, "--seed", "3", "--force"});
  expect_failure(sweep("out"), 1, "data_fingerprint");
  // Also where no run of the grid is there: its results would take the place of the others.
  const std::string before = read_file(folder / "out" / "results.jsonl");
  const Ran refused = run_program({"sweep", data, "--loss", "wan", "--lr", "1e-2", "--batch", "8",
                                   "--epochs", "1", "--quiet", "--out", folder / "out"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, testing::HasSubstr("another --out, or give --overwrite"));
  EXPECT_EQ(std::ranges::count(refused.err, '\n'), 1);
  EXPECT_EQ(read_file(folder / "out" / "results.jsonl"), before);
  EXPECT_EQ(runs("out").size(), 12u);
}

TEST_F(Sweep, WritesIntoNoDataFolder) {
  expect_failure(sweep("data", {}), 1, "found other files");
  EXPECT_FALSE(std::filesystem::exists(folder / "data" / "runs"));
  for (const char* consent : {"--resume", "--overwrite"}) {
    expect_success(sweep("data", {consent}));
    EXPECT_TRUE(std::filesystem::exists(folder / "data" / "formatted_train_labels.npy"));
  }
}

TEST_F(Sweep, EarlierGridsAreListedAndWhatIsDamagedIsToldOf) {
  const auto grid = [&](const char* lr, const Words& more = {}) {
    return Words{"sweep",    data, "--loss", "an",    "--lr",        lr, "--batch", "8",
                 "--epochs", "1",  "--json", "--out", folder / "out"} +
           more;
  };
  expect_success(grid("1e-2"));
  EXPECT_EQ(expect_success(grid("1e-3")).json()["runs"], 2);
  const Path earlier = folder / "out" / read_lines(folder / "out" / "results.jsonl")[1]["run"];
  std::ofstream(earlier / "result.json") << "{";
  const Ran ran = expect_success(grid("1e-3"));
  EXPECT_EQ(ran.json()["runs"], 1);
  EXPECT_THAT(ran.err, testing::HasSubstr((earlier / "result.json").string()));
  EXPECT_EQ(expect_success(grid("1e-2", {"--overwrite"})).json()["runs"], 1);
}

TEST_F(Sweep, AFailedRunDoesNotStopTheOthers) {
  expect_failure(sweep("out", {"--lr", "1e38"}), 1, "diverged");
  EXPECT_EQ(read_json(folder / "out" / "best.json")["runs"], 12);
}

// The seeds alternate between the shards, so one shard has a part of them.
TEST_F(Sweep, MeansOverFewerSeedsSaySo) {
  const Words words = {"sweep",   data,    "--loss",   "an", "--lr",    "1e-3",  "--batch",     "8",
                       "--seeds", "1,2,3", "--epochs", "1",  "--quiet", "--out", folder / "out"};
  const Ran half = expect_success(words + Words{"--shard", "1/2"});
  EXPECT_THAT(half.out, testing::HasSubstr("* an: 2 of 3 seeds, not finished: 2\n"));
  const auto winner = read_json(folder / "out" / "best.json")["best"]["an"];
  EXPECT_EQ(winner["seeds"], nlohmann::json({1, 3}));
  EXPECT_EQ(winner["seeds_missing"], nlohmann::json({2}));
  const Ran whole = expect_success(words);
  EXPECT_THAT(whole.out, testing::Not(testing::HasSubstr("seeds")));
}

TEST_F(Sweep, WhatIsDoneIsShownAlsoWhenARunFailed) {
  const Ran ran = run_program({"sweep", data, "--loss", "an", "--lr", "1e-3,1e38", "--batch", "8",
                               "--epochs", "1", "--quiet", "--out", folder / "out"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, testing::HasSubstr("1 runs in"));
  EXPECT_THAT(ran.err, testing::HasSubstr("diverged"));
  EXPECT_EQ(read_json(folder / "out" / "best.json")["failed"].size(), 1u);
  expect_failure({"train", data, "--loss", "an", "--out", folder / "out", "--resume"}, 1,
                 "found a sweep");
}

TEST_F(Sweep, AValueGivenTwiceIsOneRun) {
  EXPECT_EQ(expect_success(sweep("out", {"--lr", "1e-3", "--jobs", "2"})).json()["runs"], 12);
}

TEST_F(Sweep, ConfigFileHoldsLists) {
  std::ofstream(folder / "c.json")
      << R"({"loss": ["an-ls"], "lr": [0.01, 0.001], "batch": [8], "seeds": [1, 2, 3],
             "epochs": 1, "param": {"eps": [0.1, 0.2]}})";
  const Words words = {"sweep",   data,     "--config", folder / "c.json",
                       "--quiet", "--json", "--out",    folder / "out"};
  EXPECT_EQ(expect_success(words).json()["runs"], 12);
  const Words one_seed = {"sweep",  data,     "--config", folder / "c.json", "--quiet",
                          "--json", "--seed", "4",        "--out",           folder / "seed"};
  EXPECT_EQ(expect_success(one_seed).json()["runs"], 4);
}

TEST_F(Sweep, EstimatorsAreAnAxisOfTheLossesThatHaveThem) {
  const auto best =
      expect_success({"sweep", data, "--loss", "an,role", "--estimator", "table,factored,network",
                      "--rank", "2,4", "--lr", "1e-3", "--batch", "8", "--epochs", "1", "--quiet",
                      "--json", "--out", folder / "out"})
          .json();
  EXPECT_EQ(best["runs"], 1 + 1 + 2 + 1);
  std::multiset<std::string> found;
  for (const auto& [name, path] : runs("out")) {
    const auto config = read_json(path / "config.json")["config"];
    found.insert(config.value("estimator", "none"));
  }
  EXPECT_EQ(found,
            (std::multiset<std::string>{"none", "table", "factored", "factored", "network"}));
}

TEST_F(Sweep, TellsOfItselfNowAndThenOnlyAndSaysHowToGoOn) {
  const Words sweep = {"sweep", data, "--loss", "an,ridge", "--epochs", "1", "--out"};
  const Ran ran = expect_success(sweep + Words{folder / "short"});
  EXPECT_LT(std::ranges::count(ran.err, '\n'), 9) << "a line for each of nine runs";
  std::istringstream lines(ran.out);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("ridge")) continue;
    std::istringstream words(line);
    std::string loss, lr, batch, epoch;
    words >> loss >> lr >> batch >> epoch;
    EXPECT_EQ(lr + batch + epoch, "---");
  }
  Running running({"sweep", data, "--loss", "an", "--epochs", "50000", "--out", folder / "long"});
  while (!std::filesystem::exists(folder / "long" / "runs") && !running.ended()) {
  }
  running.signal(SIGINT);
  const Ran stopped = running.wait();
  EXPECT_EQ(stopped.exit_code, 130);
  EXPECT_THAT(stopped.err, testing::HasSubstr("the same command again"));
}

}  // namespace
}  // namespace spml
