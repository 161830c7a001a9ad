// spml evaluate and spml predict on finished runs.
#include <cmath>
#include <fstream>

#include "formats/npy.h"
#include "training.h"

namespace spml {
namespace {

std::vector<std::string> text_lines(const Path& path) {
  std::vector<std::string> lines;
  std::istringstream in(read_file(path));
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class Predict : public testing::Test {
 protected:
  void SetUp() override {
    expect_success({"train", data, "--loss", "an", "--epochs", "3", "--out", run});
  }
  Words predict(const std::string& out, const Words& more) {
    return Words{"predict", run, "--out", folder / out} + more;
  }

  TemporaryFolder folder;
  std::string data = make_data(folder / "data");
  std::string run = folder / "run";
};

TEST(Transforms, AreAppliedAgainByEvaluateAndPredict) {
  TemporaryFolder folder;
  const std::string data = make_data(folder / "data");
  std::set<std::string> models;
  for (const std::string kind : {"none", "sqrt", "l2", "standardize"}) {
    const Path run = folder / kind;
    const auto result = expect_success({"train", data, "--loss", "an", "--epochs", "4", "--lr",
                                        "0.05", "--transform", kind, "--json", "--out", run})
                            .json();
    for (const std::string split : {"test", "val", "train"}) {
      const auto evaluated =
          expect_success({"evaluate", run, data, "--split", split, "--json"}).json();
      EXPECT_NEAR(evaluated["map"], result[split + "_map"], 1e-6) << kind << " " << split;
    }
    const Path test = Path(data) / "val_features_imagenet_resnet50.npy";
    expect_success({"predict", run, "--data", data, "--out", folder / (kind + "-data.npy")});
    expect_success({"predict", run, "--features", test, "--out", folder / (kind + "-file.npy")});
    expect_same_bytes(folder / (kind + "-data.npy"), folder / (kind + "-file.npy"));
    models.insert(read_file(folder / (kind + "-data.npy")));
  }
  EXPECT_EQ(models.size(), 4u);
}

TEST_F(Predict, EvaluateHasTheFieldsOfTheInterface) {
  const auto json = expect_success({"evaluate", run, data, "--json"}).json();
  for (const char* key :
       {"map", "map_nonempty", "per_class_ap", "precision_at", "recall_at", "hit_at", "f1",
        "f1_stored", "ece", "khat", "khat_raw", "rows", "labels"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  for (const char* key : {"precision_at", "recall_at", "hit_at"}) {
    EXPECT_EQ(keys(json[key]), (std::set<std::string>{"1", "3", "5"}));
  }
  EXPECT_EQ(keys(json["f1"]), (std::set<std::string>{"micro", "macro", "threshold"}));
  EXPECT_EQ(json["f1"]["threshold"].size(), 6u);
  EXPECT_EQ(keys(json["f1_stored"]), (std::set<std::string>{"micro", "macro"}));
  EXPECT_LT(json["ece"], 0.2);
  EXPECT_EQ(json["rows"], 75);
  EXPECT_EQ(json["labels"], 6);
  EXPECT_EQ(expect_success({"evaluate", run, data, "--split", "train", "--json"}).json()["rows"],
            120);
}

TEST_F(Predict, TheFormatsAgree) {
  expect_success(predict("p.npy", {"--data", data, "--split", "val"}));
  expect_success(predict("p.csv", {"--data", data, "--split", "val", "--all"}));
  expect_success(predict("p.jsonl", {"--data", data, "--split", "val", "--all"}));
  const NpyArray matrix(folder / "p.npy");
  ASSERT_EQ(matrix.rows(), 30u);
  ASSERT_EQ(matrix.cols(), 6u);
  const auto csv = text_lines(folder / "p.csv");
  const auto json = read_lines(folder / "p.jsonl");
  ASSERT_EQ(csv.size(), 1 + 30u * 6);
  ASSERT_EQ(json.size(), 30u);
  EXPECT_EQ(csv[0], "image_or_row,class,score");
  const auto classes = read_json(Path(run) / "config.json")["classes"];
  std::vector<float> row(6);
  for (size_t i = 0; i < 30; ++i) {
    matrix.read_row(i, std::span(row));
    for (size_t j = 0; j < 6; ++j) {
      const auto& label = json[i]["labels"][j];
      const auto index = static_cast<size_t>(
          std::find(classes.begin(), classes.end(), label["class"]) - classes.begin());
      ASSERT_LT(index, 6u);
      EXPECT_FLOAT_EQ(label["score"], row[index]);
      const std::string prefix = json[i]["image_or_row"].get<std::string>() + "," +
                                 label["class"].get<std::string>() + ",";
      const std::string& line = csv[1 + i * 6 + j];
      ASSERT_TRUE(line.starts_with(prefix)) << line;
      EXPECT_FLOAT_EQ(std::stof(line.substr(prefix.size())), row[index]);
    }
  }
}

TEST_F(Predict, TopAndThresholdChooseWhatIsListed) {
  expect_success(predict("top.csv", {"--data", data, "--top", "2"}));
  EXPECT_EQ(text_lines(folder / "top.csv").size(), 1 + 75u * 2);
  expect_success(predict("all.npy", {"--data", data}));
  expect_success(predict("half.csv", {"--data", data, "--threshold", "0.25"}));
  expect_success(predict("tuned.csv", {"--data", data, "--threshold", "tuned"}));
  const NpyArray scores(folder / "all.npy"), thresholds(Path(run) / "thresholds.npy");
  std::vector<float> row(6), cuts(6);
  thresholds.read_row(0, std::span(cuts));
  size_t half = 0, tuned = 0;
  for (size_t i = 0; i < scores.rows(); ++i) {
    scores.read_row(i, std::span(row));
    for (size_t j = 0; j < 6; ++j) {
      half += row[j] >= 0.25f ? 1 : 0;
      tuned += row[j] >= cuts[j] ? 1 : 0;
    }
  }
  expect_success(predict("decided.csv", {"--data", data}));
  EXPECT_EQ(text_lines(folder / "decided.csv"), text_lines(folder / "tuned.csv"))
      << "decisions are the default";
  EXPECT_EQ(text_lines(folder / "half.csv").size(), 1 + half);
  EXPECT_EQ(text_lines(folder / "tuned.csv").size(), 1 + tuned);
}

TEST_F(Predict, GivesCalibratedProbabilitiesRawScoresOrDecisions) {
  expect_success(predict("p.npy", {"--data", data}));
  expect_success(predict("raw.npy", {"--data", data, "--raw"}));
  expect_success(predict("yes.npy", {"--data", data, "--decisions"}));
  const NpyArray probabilities(folder / "p.npy"), raw(folder / "raw.npy"),
      decisions(folder / "yes.npy"), thresholds(Path(run) / "thresholds.npy");
  const auto curve = read_json(Path(run) / "calibration.json");
  ASSERT_EQ(curve["slope"].size(), 6u);
  std::vector<float> p(6), r(6), cuts(6);
  std::vector<int8_t> yes(6);
  thresholds.read_row(0, std::span(cuts));
  for (size_t i = 0; i < probabilities.rows(); ++i) {
    probabilities.read_row(i, std::span(p));
    raw.read_row(i, std::span(r));
    decisions.read_row(i, std::span(yes));
    for (size_t j = 0; j < 6; ++j) {
      const double slope = curve["slope"][j], offset = curve["offset"][j];
      const double logit = std::log(r[j]) - std::log1p(-r[j]);
      EXPECT_NEAR(p[j], 1 / (1 + std::exp(-slope * logit - offset)), 1e-3);
      EXPECT_EQ(yes[j] != 0, p[j] >= cuts[j]);
    }
  }
  expect_failure(predict("x.csv", {"--data", data, "--decisions"}), 2, ".npy");
  expect_failure(predict("x.csv", {"--data", data, "--raw"}), 2, "--all");
}

TEST_F(Predict, ReadsARunOfAnEarlierVersionWithoutCalibration) {
  std::filesystem::remove(Path(run) / "calibration.json");
  auto result = read_json(Path(run) / "result.json");
  result.erase("thresholds_from");
  write_file(Path(run) / "result.json", result.dump());
  expect_success(predict("p.npy", {"--data", data}));
  expect_success(predict("raw.npy", {"--data", data, "--raw"}));
  const NpyArray p(folder / "p.npy"), raw(folder / "raw.npy");
  std::vector<float> a(6), b(6);
  p.read_row(0, std::span(a));
  raw.read_row(0, std::span(b));
  for (size_t j = 0; j < 6; ++j) EXPECT_NEAR(a[j], b[j], 1e-5);
}

TEST_F(Predict, RefusesACalibrationThatDoesNotFit) {
  std::ofstream(Path(run) / "calibration.json") << R"({"slope": [1, -1], "offset": [0, 0]})";
  expect_failure(predict("p.npy", {"--data", data}), 1, "calibration.json");
  std::filesystem::remove(Path(run) / "calibration.json");
  expect_failure(predict("p.npy", {"--data", data}), 1, "found no such file");
}

TEST_F(Predict, RefusesWhatItCannotDo) {
  expect_success(predict("p.csv", {"--data", data}));
  expect_failure(predict("p.csv", {"--data", data}), 1, "--force");
  expect_failure(predict("p.txt", {"--data", data}), 2, ".csv, .jsonl or .npy");
  expect_failure(predict("q.csv", {}), 2, "--data");
  expect_failure(predict("q.csv", {"--data", data, "--threshold", "2"}), 2, "--threshold");
  expect_failure(predict("q.csv", {"--data", data, "--raw", "--threshold", "tuned"}), 2, "--raw");
  expect_failure(predict("q.csv", {"--data", data, "--all", "--threshold", "0.9"}), 2, "--all");
  const std::string other = make_data(folder / "other", {150, 6, 13});
  expect_failure(predict("q.csv", {"--data", other}), 1, "12 features");
  std::filesystem::remove(Path(run) / "result.json");
  expect_failure(predict("q.csv", {"--data", data}), 1, "finished run");
  EXPECT_FALSE(std::filesystem::exists(folder / "q.csv"));
}

}  // namespace
}  // namespace spml
