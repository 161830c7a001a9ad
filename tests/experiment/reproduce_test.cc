// Experiments on a small data set: what is run, what is shared, what is reported.
#include "experiment/reproduce.h"

#include <set>

#include "data/synth.h"
#include "testing.h"

namespace spml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Reproduce : public testing::Test {
 protected:
  Reproduce() {
    make_folder(data_);
    SynthOptions options;
    options.rows = 80;
    options.labels = 6;
    options.features = 8;
    write_synthetic(data_, options);
  }

  // An experiment with settings that make it short.
  static Experiment parse(const std::string& rest, const std::string& name = "mine") {
    return parse_experiment(
        R"({"settings": {"epochs": 2}, "lr": [0.01, 0.001], "batch": [8], )" + rest + "}", name,
        "mine.json");
  }
  Json run(const Experiment& experiment, const SweepEvents& events = {}) {
    ReproduceOptions options;
    options.out = folder_ / "out";
    options.data = {{"toy", data_}};
    options.jobs = 2;
    return reproduce(experiment, options, events);
  }
  Json results() const { return Json::parse(read_file(folder_ / "out/results.json")); }
  size_t run_folders() const {
    const std::filesystem::directory_iterator runs(folder_ / "out/toy/runs");
    return static_cast<size_t>(std::distance(begin(runs), end(runs)));
  }

  TemporaryFolder folder_;
  Path data_ = folder_ / "data";
};

TEST_F(Reproduce, SetsTheChosenRunBesideThePaper) {
  const Json result = run(parse(R"("datasets": ["other", "toy"], "rows": [
      {"loss": "bce", "paper": {"toy": 50, "other": 60}}, {"loss": "an"}, {"loss": "role"},
      {"loss": "role", "label": "role, L", "param": {"positive_scale": "L"}, "extra": true}])"));
  EXPECT_EQ(result["runs"], 8);
  EXPECT_EQ(result["columns"], Json({"other", "toy"}));
  const Json& bce = result["rows"][0];
  const double ours = bce["cells"]["toy"]["ours"];
  EXPECT_DOUBLE_EQ(bce["cells"]["toy"]["difference"].get<double>(), ours - 50);
  EXPECT_EQ(bce["cells"]["other"], Json({{"paper", 60.0}}));
  // The chosen one has the better validation MAP of the two.
  ASSERT_EQ(bce["runs"]["toy"].size(), 2u);
  ASSERT_EQ(bce["chosen"]["toy"].size(), 1u);
  double best = 0;
  for (const Json& name : bce["runs"]["toy"]) {
    const Json run =
        Json::parse(read_file(folder_ / "out" / name.get<std::string>() / "result.json"));
    if (run["val_map"] > best) best = run["val_map"];
    if (name == bce["chosen"]["toy"][0]) {
      EXPECT_EQ(run["test_map"], ours);
    }
  }
  EXPECT_EQ(bce["cells"]["toy"]["val_map"], best);
  // an and role are ranked among themselves; bce sees more, the extra row is not the paper's.
  std::set<int> ranks = {result["rows"][1]["cells"]["toy"]["rank"],
                         result["rows"][2]["cells"]["toy"]["rank"]};
  EXPECT_EQ(ranks, (std::set<int>{1, 2}));
  EXPECT_FALSE(bce["cells"]["toy"].contains("rank"));
  EXPECT_FALSE(result["rows"][3]["cells"]["toy"].contains("rank"));
  EXPECT_EQ(result["rows"][3]["params"]["positive_scale"], "L");
  EXPECT_EQ(results()["experiments"]["mine"], result);
}

TEST_F(Reproduce, ExperimentsShareRunsAndRerunsTrainNothing) {
  run(parse(R"("rows": [{"loss": "an"}, {"loss": "role"}])", "first"));
  EXPECT_EQ(run_folders(), 4u);
  const Json second = run(parse(R"("metric": "train_map", "rows": [{"loss": "role"}])", "second"));
  EXPECT_EQ(run_folders(), 4u);
  EXPECT_EQ(second["metric_text"], "train MAP");
  EXPECT_EQ(results()["experiments"].size(), 2u);
}

TEST_F(Reproduce, SeveralSeedsGiveMeanAndDeviation) {
  const Json result = run(parse(R"("seeds": 3, "rows": [{"loss": "an"}])"));
  EXPECT_EQ(result["runs"], 6);
  const Json& row = result["rows"][0];
  EXPECT_GT(row["cells"]["toy"]["std"], 0.0);
  ASSERT_EQ(row["chosen"]["toy"].size(), 3u);
  double sum = 0;
  for (const Json& name : row["chosen"]["toy"]) {
    const Path file = folder_ / "out" / name.get<std::string>() / "result.json";
    sum += Json::parse(read_file(file))["test_map"].get<double>();
  }
  EXPECT_NEAR(row["cells"]["toy"]["ours"].get<double>(), sum / 3, 1e-9);
}

TEST_F(Reproduce, CurvesCountTheLabelsThatWereSeen) {
  const Json result = run(parse(R"("show": "curves", "vary": {"subsample": [0.5, 1]},
      "rows": [{"loss": "bce"}, {"loss": "an"}])"));
  const Json &bce = result["rows"][0]["curves"]["toy"], &an = result["rows"][1]["curves"]["toy"];
  ASSERT_EQ(bce.size(), 2u);
  EXPECT_EQ(bce[0]["x"], 0.5);
  EXPECT_EQ(bce[0]["labels_seen"], 32 * 6);  // 80 rows, 64 of them to train on
  EXPECT_EQ(bce[1]["labels_seen"], 64 * 6);
  EXPECT_EQ(an[1]["labels_seen"], 64);
}

TEST_F(Reproduce, VaryingKComparesWithTheTrueOne) {
  const Json result = run(parse(R"("show": "curves", "vary": {"k": {"labelled_rows": 5,
      "values": 3}}, "rows": [{"loss": "role"}])"));
  const Json& points = result["rows"][0]["curves"]["toy"];
  ASSERT_EQ(points.size(), 3u);
  EXPECT_LT(points[0]["x"], points[2]["x"]);
  EXPECT_DOUBLE_EQ(points[1]["x"].get<double>(),
                   (points[0]["x"].get<double>() + points[2]["x"].get<double>()) / 2);
  EXPECT_EQ(result["rows"][0]["references"]["toy"]["x"], 1.5);
}

// table1 searches the paper's grid: eight runs, found here by another experiment.
TEST_F(Reproduce, TakesSettingsFromTheOtherExperimentsWinners) {
  Experiment table = load_experiment("table1");
  std::erase_if(table.rows, [](const ExperimentRow& row) { return row.label != "an"; });
  table.settings.epochs = 1;
  table.seeds = 1;
  const Json winner = run(table)["rows"][0]["cells"]["toy"];
  Experiment figure = load_experiment("figure2");
  std::erase_if(figure.rows, [](const ExperimentRow& row) { return row.label != "an"; });
  figure.settings.epochs = 1;
  const Json result = run(figure);
  EXPECT_EQ(result["runs"], 1);
  EXPECT_EQ(run_folders(), 9u);  // the grid, and the winner once more with its histograms
  EXPECT_EQ(result["rows"][0]["cells"]["toy"]["lr"], winner["lr"]);
  EXPECT_EQ(result["rows"][0]["cells"]["toy"]["ours"], winner["ours"]);
  const Json& histograms = result["rows"][0]["histograms"]["toy"];
  ASSERT_EQ(histograms.size(), 1u);
  EXPECT_EQ(histograms[0].size(), 50u);
}

TEST_F(Reproduce, CountsLabels) {
  const Json result = run(parse(R"("rows": [{"statistic": "labels"}, {"statistic": "min-positives"},
      {"statistic": "k-low"}, {"statistic": "k-high"}])"));
  EXPECT_EQ(result["runs"], 0);
  EXPECT_EQ(result["rows"][0]["cells"]["toy"]["ours"], 6.0);
  EXPECT_EQ(result["rows"][1]["cells"]["toy"]["ours"], 1.0);
  EXPECT_LT(result["rows"][2]["cells"]["toy"]["ours"], result["rows"][3]["cells"]["toy"]["ours"]);
}

TEST_F(Reproduce, RefusesWhatItCannotDo) {
  Experiment table = load_experiment("table1");
  ReproduceOptions options;
  options.out = folder_ / "out";
  options.data = {{"toy", data_}};
  options.mode = Mode::kFinetune;
  EXPECT_SPML_ERROR(reproduce(table, options), HasSubstr("no image training"));
  options.make_image_model = [](const auto&...) { return std::unique_ptr<Model>(); };
  std::filesystem::remove(features_file(data_, "train"));
  EXPECT_SPML_ERROR(reproduce(table, options), HasSubstr("spml extract"));
  options.mode = Mode::kLinearInit;
  EXPECT_SPML_ERROR(reproduce(table, options), HasSubstr("expected --mode linear or finetune"));
  make_folder(folder_ / "out");
  write_file(folder_ / "out/results.json", "[]");
  EXPECT_SPML_ERROR(run(parse(R"("rows": [{"loss": "an"}])")), HasSubstr("choose another --out"));
}

}  // namespace
}  // namespace spml
