// spml train as the interface describes it: flags, data with parts missing, files of a run.
#include <fstream>
#include <numeric>

#include "formats/npy.h"
#include "formats/safetensors.h"
#include "training.h"

namespace spml {
namespace {

using testing::HasSubstr;
using testing::Not;

class Train : public testing::Test {
 protected:
  Words train(const std::string& loss, const std::string& out, const Words& more = {}) {
    return Words{"train", data, "--loss", loss, "--epochs", "3", "--out", folder / out} + more;
  }
  void drop(const std::string& name) { std::filesystem::remove(Path(data) / name); }

  TemporaryFolder folder;
  std::string data = make_data(folder / "data");
};

TEST(TrainThreads, OneAndTwoGiveTheSameBytes) {
  TemporaryFolder folder;
  // Large enough for a step to be shared: D L B = 256 * 160 * 16.
  const std::string data = make_data(folder / "data", {200, 160, 256});
  for (const std::string loss : {"an", "role"}) {
    for (const std::string threads : {"1", "2"}) {
      expect_success({"train", data, "--loss", loss, "--epochs", "3", "--threads", threads,
                      "--seed", "5", "--out", folder / (loss + threads)});
    }
    expect_same_run(folder / (loss + "1"), folder / (loss + "2"));
    EXPECT_EQ(std::filesystem::exists(folder / (loss + "1") / "estimates.npy"), loss == "role");
  }
  expect_success(
      {"train", data, "--loss", "an", "--epochs", "3", "--seed", "6", "--out", folder / "other"});
  EXPECT_FALSE(read_file(folder / "other" / "model.safetensors") ==
               read_file(folder / "an1" / "model.safetensors"));
}

TEST(TrainThreads, GiveTheSameBytesWithEveryEstimator) {
  TemporaryFolder folder;
  // Large enough for every layer to be shared between threads.
  const std::string data = make_data(folder / "data", {120, 160, 256});
  for (const Words& estimator :
       {Words{"factored", "--rank", "260"}, {"network", "--hidden", "260"}}) {
    for (const std::string threads : {"1", "2"}) {
      expect_success(Words{"train", data, "--loss", "role", "--epochs", "2", "--threads", threads,
                           "--out", folder / (estimator[0] + threads), "--estimator"} +
                     estimator);
    }
    expect_same_run(folder / (estimator[0] + "1"), folder / (estimator[0] + "2"));
    expect_finished(folder / (estimator[0] + "1"), "estimator.safetensors");
  }
}

TEST_F(Train, EstimatorsAreChosenByFlagAndRecorded) {
  expect_success(train("role", "table"));
  expect_success(train("role", "factored", {"--estimator", "factored"}));
  expect_success(train("role+an-ls", "network", {"--estimator", "network", "--hidden", "7"}));
  const auto config = [&](const std::string& run) {
    return read_json(folder / run / "config.json")["config"];
  };
  EXPECT_EQ(config("table")["estimator"], "table");
  EXPECT_FALSE(config("table").contains("rank"));
  EXPECT_EQ(config("factored")["estimator"], "factored");
  EXPECT_EQ(config("factored")["rank"], 16);
  EXPECT_EQ(config("network")["hidden"], 7);
  const SafetensorsFile factored(folder / "factored" / "estimator.safetensors");
  EXPECT_EQ(factored.tensor("U").shape, (std::vector<size_t>{120, 16}));
  EXPECT_EQ(factored.tensor("V").shape, (std::vector<size_t>{6, 16}));
  EXPECT_EQ(factored.tensor("b").shape, (std::vector<size_t>{6}));
  const SafetensorsFile network(folder / "network" / "estimator.safetensors");
  EXPECT_EQ(network.tensor("W1").shape, (std::vector<size_t>{7, 12}));
  EXPECT_EQ(network.tensor("W2").shape, (std::vector<size_t>{6, 7}));
  EXPECT_NE(read_file(folder / "table" / "model.safetensors"),
            read_file(folder / "factored" / "model.safetensors"));
  // The flag changes what a run is.
  expect_failure(train("role", "factored", {"--estimator", "factored", "--rank", "3", "--resume"}),
                 1, "rank 16");
  // From a file, with the same keys.
  std::ofstream(folder / "config.json") << R"({"estimator": "factored", "rank": 3})";
  expect_success(train("role", "file", {"--config", folder / "config.json"}));
  EXPECT_EQ(config("file")["rank"], 3);
}

TEST_F(Train, EstimatorFlagsThatNothingUsesAreUsageErrors) {
  expect_failure(train("an", "run", {"--estimator", "factored"}), 2, "--estimator");
  expect_failure(train("role", "run", {"--rank", "4"}), 2, "--rank");
  expect_failure(train("role", "run", {"--estimator", "network", "--rank", "4"}), 2, "--rank");
  expect_failure(train("role", "run", {"--estimator", "factored", "--hidden", "4"}), 2, "--hidden");
  expect_failure(train("role", "run", {"--estimator", "factored", "--rank", "0"}), 2, "--rank");
  expect_failure(train("role", "run", {"--estimator", "tables"}), 2, "--estimator");
  expect_failure(train("role", "run", {"--estimator", "factored", "--mode", "finetune"}), 2,
                 "linear");
}

TEST_F(Train, ResultAndMetricsHaveTheFieldsOfTheInterface) {
  const Ran ran = expect_success(train("role", "run", {"--json", "--quiet"}));
  EXPECT_EQ(ran.err, "");
  const auto result = ran.json();
  EXPECT_EQ(keys(result), (std::set<std::string>{"loss",
                                                 "mode",
                                                 "lr",
                                                 "batch",
                                                 "epochs",
                                                 "expected",
                                                 "seed",
                                                 "k",
                                                 "params",
                                                 "transform",
                                                 "weight_decay",
                                                 "average",
                                                 "blend_ridge",
                                                 "best_epoch",
                                                 "val_map",
                                                 "test_map",
                                                 "train_map",
                                                 "test_map_nonempty",
                                                 "per_class_ap",
                                                 "k_from",
                                                 "selected_on",
                                                 "thresholds_from",
                                                 "ece",
                                                 "reliability",
                                                 "steps",
                                                 "resumed_from_step",
                                                 "train_seconds",
                                                 "seconds"}));
  EXPECT_EQ(result, read_json(folder / "run" / "result.json"));
  EXPECT_EQ(result["mode"], "linear");
  EXPECT_EQ(result["lr"], 1e-3);
  EXPECT_EQ(result["batch"], 16);
  EXPECT_EQ(result["transform"], "none");
  EXPECT_EQ(result["weight_decay"], 0);
  EXPECT_EQ(result["average"], 1);
  EXPECT_EQ(result["blend_ridge"], false);
  EXPECT_EQ(result["steps"], 3 * (120 / 16));
  EXPECT_EQ(result["per_class_ap"].size(), 6u);
  double sum = 0;
  for (const double ap : result["per_class_ap"]) sum += ap;
  EXPECT_NEAR(result["test_map"], sum / 6, 1e-9);
  EXPECT_LE(result["train_seconds"], result["seconds"]);

  const auto lines = read_lines(folder / "run" / "metrics.jsonl");
  ASSERT_EQ(lines.size(), 3u);
  double best = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(keys(lines[i]), (std::set<std::string>{"epoch", "train_loss", "val_map", "khat",
                                                     "khat_estimates", "seconds"}));
    EXPECT_EQ(lines[i]["epoch"], i + 1);
    best = std::max(best, lines[i]["val_map"].get<double>());
  }
  EXPECT_EQ(result["val_map"], best);
  EXPECT_EQ(lines[result["best_epoch"].get<size_t>() - 1]["val_map"], best);

  const NpyArray estimates(folder / "run" / "estimates.npy"),
      rows(folder / "run" / "train_rows.npy");
  EXPECT_EQ(estimates.rows(), 120u);
  EXPECT_EQ(estimates.cols(), 6u);
  EXPECT_EQ(rows.rows(), 120u);
  const auto config = read_json(folder / "run" / "config.json");
  for (const char* key : {"version", "config", "classes", "machine", "threads"}) {
    EXPECT_TRUE(config.contains(key)) << key;
  }
  EXPECT_TRUE(config["config"].contains("data_fingerprint"));
  EXPECT_EQ(config["config"]["seed"], 0);
}

TEST_F(Train, SelectObservedUsesTheObservedLabelsAlone) {
  const auto clean = expect_success(train("an", "clean", {"--json"})).json();
  const auto observed =
      expect_success(train("an", "observed", {"--json", "--select", "observed"})).json();
  EXPECT_NE(clean["val_map"], observed["val_map"]);
  EXPECT_EQ(read_json(folder / "observed" / "config.json")["select"], "observed");
}

TEST_F(Train, MinDeltaIsWhatPatienceWaitsFor) {
  // No epoch is better by 100 points, so the first one stays the best of all for it.
  expect_success(train("an", "run", {"--patience", "1", "--min-delta", "100", "--quiet"}));
  EXPECT_EQ(read_json(folder / "run" / "config.json")["config"]["min-delta"], 100);
  EXPECT_EQ(read_lines(folder / "run" / "metrics.jsonl").size(), 2u);
  expect_failure(train("an", "other", {"--min-delta", "1"}), 2, "--min-delta requires --patience");
  // The default is in no file, so that runs of older versions keep their names.
  expect_success(train("an", "plain", {"--patience", "3"}));
  EXPECT_FALSE(read_json(folder / "plain" / "config.json")["config"].contains("min-delta"));
}

TEST_F(Train, PatienceStopsEarly) {
  // So large a rate that the first epochs are the best.
  const auto result = expect_success({"train", data, "--loss", "an", "--lr", "5", "--epochs", "200",
                                      "--patience", "2", "--json", "--out", folder / "run"})
                          .json();
  const auto lines = read_lines(folder / "run" / "metrics.jsonl");
  EXPECT_LT(lines.size(), 200u);
  EXPECT_EQ(lines.size(), result["best_epoch"].get<size_t>() + 2);
  EXPECT_EQ(result["steps"], lines.size() * 7);
}

TEST_F(Train, RecordsTheHistogramOfUnobservedPositives) {
  expect_success(train("an", "run", {"--record", "unobserved-positives"}));
  // Positives of the training rows less the one observed in each.
  const NpyArray truth(Path(data) / "formatted_train_labels.npy");
  expect_success(train("role", "rows"));
  const NpyArray rows(folder / "rows" / "train_rows.npy");
  int64_t positives = 0;
  std::vector<float> row(6), index(1);
  for (size_t i = 0; i < rows.rows(); ++i) {
    rows.read_row(i, std::span(index));
    truth.read_row(static_cast<size_t>(index[0]), std::span(row));
    positives += std::count(row.begin(), row.end(), 1.0f) - 1;
  }
  ASSERT_GT(positives, 0);
  for (const auto& line : read_lines(folder / "run" / "metrics.jsonl")) {
    const auto counts = line["unobserved_positives"].get<std::vector<int64_t>>();
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), int64_t{0}), positives);
  }
}

TEST_F(Train, WithoutTruthFallsBackToObserved) {
  drop("formatted_train_labels.npy");
  const Ran ran = expect_success(train("role", "run", {"--json", "--k", "1.5"}));
  EXPECT_THAT(ran.err, HasSubstr("--select observed"));
  EXPECT_TRUE(ran.json()["train_map"].is_null());
  EXPECT_TRUE(ran.json()["test_map"].is_number());
  expect_failure(train("bce", "bce", {"--quiet"}), 1, "truth");
  expect_failure(train("iun", "iun", {"--quiet"}), 1, "truth");
  expect_failure(train("iu", "iu", {"--quiet"}), 1, "negatives");
}

TEST_F(Train, WithoutTruthOrKItIsEstimatedFromObservedLabels) {
  drop("formatted_train_labels.npy");
  drop("dataset.json");
  const auto run = expect_success(train("role", "run", {"--json"}));
  EXPECT_EQ(run.json()["k_from"], "observed");
  EXPECT_THAT(run.err, HasSubstr("estimated from the observed labels"));
}

TEST_F(Train, WithoutTruthTheQualityToExpectIsTold) {
  drop("formatted_train_labels.npy");
  drop("formatted_val_labels.npy");
  const Ran ran = expect_success(train("an", "run"));
  EXPECT_THAT(ran.out, HasSubstr("expected on new rows: precision"));
  EXPECT_THAT(ran.out, HasSubstr("fifty complete rows"));
  EXPECT_THAT(ran.out, Not(HasSubstr("n/a")));
  const auto expected = read_json(folder / "run" / "result.json")["expected"];
  EXPECT_LE(expected["recall"]["low"], expected["recall"]["value"]);
  EXPECT_GE(expected["recall"]["high"], expected["recall"]["value"]);
  const Words evaluate = {"evaluate", folder / "run", data, "--split", "val"};
  EXPECT_THAT(expect_success(evaluate).out, HasSubstr("expected on new rows: precision"));
  EXPECT_EQ(expect_success(evaluate + Words{"--json"}).json()["expected"], expected);
}

TEST_F(Train, AverageKeepsTheMeanOfClassifiersThatDifferInTheirSeed) {
  const auto weight = [&](const std::string& run) {
    const SafetensorsFile file(folder / run / "model.safetensors");
    std::vector<float> values(file.tensor("classifier.weight").bytes.size() / sizeof(float));
    read_exactly(file, "classifier.weight", std::span(values));
    return values;
  };
  expect_success(train("wan", "first"));
  expect_success(train("wan", "second", {"--seed", "1000003"}));
  const auto mean = expect_success(train("wan", "mean", {"--average", "2", "--json"})).json();
  const auto first = weight("first"), second = weight("second"), both = weight("mean");
  ASSERT_EQ(both.size(), first.size());
  for (size_t i = 0; i < both.size(); ++i) {
    ASSERT_NEAR(both[i], (first[i] + second[i]) / 2, 1e-6);
  }
  const auto evaluated =
      expect_success({"evaluate", folder / "mean", data, "--split", "val", "--json"}).json();
  EXPECT_NEAR(mean["val_map"], evaluated["map"], 1e-6);
  EXPECT_EQ(read_json(folder / "mean" / "config.json")["config"]["average"], 2);
}

TEST_F(Train, WithoutTestFilesTestMetricsAreNull) {
  for (const auto& entry : std::filesystem::directory_iterator(data)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("formatted_val_") || name.starts_with("val_")) {
      std::filesystem::remove(entry.path());
    }
  }
  const auto result = expect_success(train("an", "run", {"--json"})).json();
  EXPECT_TRUE(result["test_map"].is_null());
  EXPECT_TRUE(result["test_map_nonempty"].is_null());
  EXPECT_EQ(result["per_class_ap"].size(), 0u);
  EXPECT_TRUE(result["train_map"].is_number());
  expect_failure({"evaluate", folder / "run", data}, 1, "no test features");
  EXPECT_EQ(
      expect_success({"evaluate", folder / "run", data, "--split", "val", "--json"}).json()["rows"],
      30);
}

TEST_F(Train, WithoutObservedLabelsTheyAreDrawn) {
  expect_success(train("an", "file"));
  drop("formatted_train_labels_obs.npy");
  expect_success(train("an", "drawn"));
  expect_success(train("an", "asked", {"--observe", "pos=1,neg=0,seed=1200"}));
  expect_same_bytes(folder / "drawn" / "model.safetensors", folder / "asked" / "model.safetensors");
}

TEST_F(Train, NegativesAreDrawnForALossThatNeedsThem) {
  const Ran ran = expect_success(train("iu", "run"));
  EXPECT_THAT(ran.err, HasSubstr("drew one per row"));
  const Ran asked = expect_success(train("iu", "asked", {"--observe", "pos=1,neg=1"}));
  EXPECT_THAT(asked.err, Not(HasSubstr("drew")));
  expect_same_bytes(folder / "run" / "model.safetensors", folder / "asked" / "model.safetensors");
}

TEST_F(Train, WrongUsageIsOneLine) {
  expect_failure(train("an", "run", {"--batch", "500", "--quiet"}), 1, "batch of 500");
  expect_failure(train("an", "run", {"--epoch", "5"}), 2, "did you mean '--epochs'?");
  expect_failure(train("am", "run"), 2, "'an'");
  expect_failure(train("an-ls", "run", {"--param", "epss=1"}), 2, "eps");
  expect_failure(train("an", "run", {"--lr", "-1"}), 2, "--lr");
  expect_failure(train("an", "run", {"--transform", "cube"}), 2, "--transform");
  expect_failure(train("an", "run", {"--observe", "pos=x"}), 2, "pos=1,neg=0,seed=1200");
}

TEST_F(Train, ConfigFileHoldsTheFlagsAndFlagsWin) {
  std::ofstream(folder / "c.json")
      << R"({"loss": "an-ls", "lr": 0.01, "batch": 8, "epochs": 2, "json": true, "quiet": true,
             "param": {"eps": 0.25}, "out": ")"
      << (folder / "run").string() << R"("})";
  const auto result =
      expect_success({"train", data, "--config", folder / "c.json", "--batch", "4"}).json();
  EXPECT_EQ(result["loss"], "an-ls");
  EXPECT_EQ(result["lr"], 0.01);
  EXPECT_EQ(result["batch"], 4);
  EXPECT_EQ(result["params"]["eps"], 0.25);
  std::ofstream(folder / "bad.json") << R"({"epohcs": 2})";
  expect_failure(train("an", "x", {"--config", folder / "bad.json"}), 2, "did you mean 'epochs'?");
}

TEST(EstimateK, ComesFromObservedLabelsAndARun) {
  TemporaryFolder folder;
  const std::string data = make_data(folder / "data", {.rows = 3000, .labels = 6, .features = 40});
  const std::string run = folder / "run";
  expect_success({"train", data, "--loss", "an", "--epochs", "10", "--quiet", "--out", run});
  const Words verb = {"estimate-k", data, "--from-observed", run};
  const auto json = expect_success(verb + Words{"--json"}).json();
  const double k = json["k"], true_k = json["true_k"];
  EXPECT_NEAR(k / true_k, 1, 0.25);
  EXPECT_EQ(json["priors"].size(), 6u);
  EXPECT_THAT(expect_success(verb).out, testing::HasSubstr("off by"));
  std::filesystem::remove(Path(data) / "formatted_train_labels.npy");
  const auto blind = expect_success(verb + Words{"--json"}).json();
  EXPECT_EQ(blind["k"], k) << "the truth is not looked at";
  EXPECT_TRUE(blind["true_k"].is_null());
  std::filesystem::remove(Path(data) / "formatted_train_labels_obs.npy");
  expect_failure(verb, 1, "formatted_train_labels_obs.npy");
}

TEST(EstimateK, ComesFromTwoNamings) {
  TemporaryFolder folder;
  const std::string data = make_data(folder / "data", {.rows = 300, .labels = 6, .features = 4});
  const Path first = Path(data) / "formatted_train_labels_obs.npy";
  const std::string second = folder / "second.npy";
  expect_success({"observe", data, "--seed", "2", "--force", "--quiet"});
  std::filesystem::copy_file(first, second);
  expect_success({"observe", data, "--seed", "3", "--force", "--quiet"});
  const Words verb = {"estimate-k", data, "--second", second};
  const auto json = expect_success(verb + Words{"--json"}).json();
  const double true_k = expect_success({"estimate-k", data, "--json"}).json()["k"];
  EXPECT_EQ(json["rows"], 300);
  EXPECT_NEAR(json["k"], true_k, 0.35 * true_k);
  EXPECT_THAT(expect_success(verb).out, testing::HasSubstr("two namings agree in"));
  expect_failure({"estimate-k", data, "--second", folder / "no.npy"}, 1, "second naming");
}

TEST(Preset, IsARecipeThatFlagsWinOver) {
  TemporaryFolder folder;
  const std::string data = make_data(folder / "data");
  const auto result = expect_success({"train", data, "--preset", "voc12-one-label", "--epochs", "2",
                                      "--batch", "8", "--json", "--out", folder / "run"})
                          .json();
  EXPECT_EQ(result["loss"], "role+em");
  EXPECT_EQ(result["lr"], 4e-3);
  EXPECT_EQ(result["batch"], 8);
  EXPECT_EQ(read_json(folder / "run" / "config.json")["config"]["transform"], "sqrt");
  expect_failure({"train", data, "--preset", "paper-cod", "--out", folder / "other"}, 2,
                 "did you mean 'paper-code'");
}

}  // namespace
}  // namespace spml
