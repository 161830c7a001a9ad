// Experiments on a small data set: what is run, what is shared, what is reported.
#include "reproduce/reproduce.h"
#include "base/folders.h"

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
  ReproduceOptions options(const std::vector<std::string>& names = {"toy"}) {
    ReproduceOptions options;
    options.out = folder_ / "out";
    for (const std::string& name : names) options.data.push_back({name, data_});
    options.threads = 2;
    return options;
  }
  ExperimentResult run(const Experiment& experiment,
                       const std::vector<std::string>& names = {"toy"}) {
    return reproduce(experiment, options(names)).experiments[experiment.name];
  }
  Reproduction results() const { return read_reproduction(folder_ / "out/results.json"); }
  RunResult result_of(const std::string& run) const {
    return read_run_result(folder_ / "out" / run / "result.json");
  }
  size_t run_folders() const {
    const std::filesystem::directory_iterator runs(folder_ / "out/toy/runs");
    return static_cast<size_t>(std::distance(begin(runs), end(runs)));
  }

  TemporaryFolder folder_;
  Path data_ = folder_ / "data";
};

TEST_F(Reproduce, SetsTheChosenRunBesideThePaper) {
  const ExperimentResult result = run(parse(R"("datasets": ["other", "toy"], "rows": [
      {"loss": "bce", "paper": {"toy": 50, "other": 60}}, {"loss": "an"}, {"loss": "role"},
      {"loss": "role", "label": "role, L", "param": {"positive_scale": "L"}, "extra": true}])"));
  EXPECT_EQ(result.runs, 8u);
  EXPECT_THAT(result.columns, ElementsAre("other", "toy"));
  const ResultRow& bce = result.rows.at(0);
  const ResultPoint& toy = *bce.cells.find("toy");
  EXPECT_DOUBLE_EQ(*toy.difference, *toy.ours - 50);
  EXPECT_EQ(bce.cells.find("other")->paper, 60);
  EXPECT_EQ(bce.cells.find("other")->ours, std::nullopt);
  // The chosen one has the better validation MAP of the two.
  ASSERT_EQ(bce.runs.find("toy")->size(), 2u);
  ASSERT_EQ(bce.chosen.find("toy")->size(), 1u);
  double best = 0;
  for (const std::string& name : *bce.runs.find("toy")) {
    best = std::max(best, result_of(name).val_map);
  }
  EXPECT_EQ(result_of(bce.chosen.find("toy")->front()).test_map, toy.ours);
  EXPECT_EQ(toy.val_map, best);
  // an and role are ranked among themselves; bce sees more, the extra row is not the paper's.
  const std::set<int> ranks = {*result.rows.at(1).cells.find("toy")->rank,
                               *result.rows.at(2).cells.find("toy")->rank};
  EXPECT_EQ(ranks, (std::set<int>{1, 2}));
  EXPECT_EQ(toy.rank, std::nullopt);
  EXPECT_EQ(result.rows.at(3).cells.find("toy")->rank, std::nullopt);
  EXPECT_THAT(json_text(result), HasSubstr("\"positive_scale\": \"L\""));
  EXPECT_EQ(json_text(results().experiments["mine"]), json_text(result));
}

TEST_F(Reproduce, ExperimentsShareRunsAndRerunsTrainNothing) {
  run(parse(R"("rows": [{"loss": "an"}, {"loss": "role"}])", "first"));
  EXPECT_EQ(run_folders(), 4u);
  const ExperimentResult second =
      run(parse(R"("metric": "train_map", "rows": [{"loss": "role"}])", "second"));
  EXPECT_EQ(run_folders(), 4u);
  EXPECT_EQ(second.metric_text, "train MAP");
  EXPECT_EQ(results().experiments.size(), 2u);
}

TEST_F(Reproduce, SeveralSeedsGiveMeanAndDeviation) {
  const ExperimentResult result = run(parse(R"("seeds": 3, "rows": [{"loss": "an"}])"));
  EXPECT_EQ(result.runs, 6u);
  const ResultRow& row = result.rows.at(0);
  EXPECT_GT(row.cells.find("toy")->std, 0.0);
  ASSERT_EQ(row.chosen.find("toy")->size(), 3u);
  double sum = 0;
  for (const std::string& name : *row.chosen.find("toy")) sum += *result_of(name).test_map;
  EXPECT_NEAR(*row.cells.find("toy")->ours, sum / 3, 1e-9);
}

TEST_F(Reproduce, DataSetsThatAreNotGivenAgainKeepTheirNumbers) {
  const Experiment experiment = parse(R"("datasets": ["first"], "rows": [
      {"loss": "an", "paper": {"first": 50}}, {"loss": "role"}])");
  const ExperimentResult both = run(experiment, {"first", "second"});
  EXPECT_EQ(both.runs, 8u);
  const ExperimentResult again = run(experiment, {"second"});
  EXPECT_THAT(again.columns, ElementsAre("first", "second"));
  EXPECT_EQ(again.runs, 8u);
  EXPECT_TRUE(again.data.contains("first"));
  for (size_t i = 0; i < 2; ++i) {
    const ResultPoint &before = *both.rows.at(i).cells.find("first"),
                      &now = *again.rows.at(i).cells.find("first");
    EXPECT_EQ(now.ours, before.ours);
    EXPECT_EQ(now.rank, before.rank);
    EXPECT_EQ(*again.rows.at(i).runs.find("first"), *both.rows.at(i).runs.find("first"));
  }
  EXPECT_TRUE(again.rows.at(0).cells.find("first")->difference.has_value());
  // Numbers of another metric do not belong into the same table.
  const ExperimentResult other = run(
      parse(R"("metric": "train_map", "rows": [{"loss": "an"}, {"loss": "role"}])"), {"second"});
  EXPECT_FALSE(other.data.contains("first"));
}

TEST_F(Reproduce, CurvesCountTheLabelsThatWereSeen) {
  const ExperimentResult result = run(parse(R"("show": "curves", "vary": {"subsample": [0.5, 1]},
      "rows": [{"loss": "bce"}, {"loss": "an"}])"));
  const auto &bce = *result.rows.at(0).curves.find("toy"),
             &an = *result.rows.at(1).curves.find("toy");
  ASSERT_EQ(bce.size(), 2u);
  EXPECT_EQ(bce[0].x, 0.5);
  EXPECT_EQ(bce[0].labels_seen, 32 * 6);  // 80 rows, 64 of them to train on
  EXPECT_EQ(bce[1].labels_seen, 64 * 6);
  EXPECT_EQ(an[1].labels_seen, 64);
}

TEST_F(Reproduce, VaryingKComparesWithTheTrueOne) {
  const ExperimentResult result = run(parse(R"("show": "curves", "vary": {"k": {"labelled_rows": 5,
      "values": 3}}, "rows": [{"loss": "role"}])"));
  const auto& points = *result.rows.at(0).curves.find("toy");
  ASSERT_EQ(points.size(), 3u);
  EXPECT_LT(*points[0].x, *points[2].x);
  EXPECT_DOUBLE_EQ(*points[1].x, (*points[0].x + *points[2].x) / 2);
  EXPECT_EQ(result.rows.at(0).references.find("toy")->x, 1.5);
}

// table1 searches the paper's grid: eight runs, found here by another experiment.
TEST_F(Reproduce, TakesSettingsFromTheOtherExperimentsWinners) {
  Experiment table = load_experiment("table1");
  std::erase_if(table.rows, [](const ExperimentRow& row) { return row.label != "an"; });
  table.settings.epochs = 1;
  table.seeds = 1;
  const ExperimentResult searched = run(table);
  const ResultPoint winner = *searched.rows.at(0).cells.find("toy");
  Experiment figure = load_experiment("figure2");
  std::erase_if(figure.rows, [](const ExperimentRow& row) { return row.label != "an"; });
  figure.settings.epochs = 1;
  const ExperimentResult result = run(figure);
  EXPECT_EQ(result.runs, 1u);
  EXPECT_EQ(run_folders(), 9u);  // the grid, and the winner once more with its histograms
  EXPECT_EQ(result.rows.at(0).cells.find("toy")->lr, winner.lr);
  EXPECT_EQ(result.rows.at(0).cells.find("toy")->ours, winner.ours);
  const Histograms& histograms = *result.rows.at(0).histograms.find("toy");
  ASSERT_EQ(histograms.size(), 1u);
  EXPECT_EQ(histograms[0].size(), 50u);
}

TEST_F(Reproduce, CountsLabels) {
  const ExperimentResult result =
      run(parse(R"("rows": [{"statistic": "labels"}, {"statistic": "min-positives"},
      {"statistic": "k-low"}, {"statistic": "k-high"}])"));
  EXPECT_EQ(result.runs, 0u);
  const auto ours = [&](size_t i) { return *result.rows.at(i).cells.find("toy")->ours; };
  EXPECT_EQ(ours(0), 6.0);
  EXPECT_EQ(ours(1), 1.0);
  EXPECT_LT(ours(2), ours(3));
}

// A step of a network keeps all cores busy: one run at a time with all threads, also where training
// networks is the experiment's first mode and nobody said --mode.
TEST_F(Reproduce, TheFirstModeDecidesHowManyRunsGoSideBySide) {
  std::vector<int> threads;
  ReproduceOptions given = options();
  given.threads = 2;
  given.make_image_model = [&](const Dataset&, const TrainConfig&, const LinearStart*, int of_each,
                               Cluster*) -> std::unique_ptr<Model> {
    threads.push_back(of_each);
    throw Error("no network here");
  };
  const Experiment networks = parse(R"("modes": ["finetune", "linear"], "rows": [{"loss": "an"}])");
  EXPECT_SPML_ERROR(reproduce(networks, given), HasSubstr("no network here"));
  EXPECT_THAT(threads, ElementsAre(2, 2));
}

TEST_F(Reproduce, RefusesWhatItCannotDo) {
  Experiment table = load_experiment("table1");
  ReproduceOptions given = options();
  given.mode = Mode::kFinetune;
  EXPECT_SPML_ERROR(reproduce(table, given), HasSubstr("no image training"));
  given.make_image_model = [](const auto&...) { return std::unique_ptr<Model>(); };
  std::filesystem::remove(features_file(data_, "train"));
  EXPECT_SPML_ERROR(reproduce(table, given), HasSubstr("spml extract"));
  given.mode = Mode::kLinearInit;
  EXPECT_SPML_ERROR(reproduce(table, given), HasSubstr("expected --mode linear or finetune"));
  make_folder(folder_ / "out");
  write_file(folder_ / "out/results.json", "[]");
  EXPECT_SPML_ERROR(run(parse(R"("rows": [{"loss": "an"}])")), HasSubstr("choose another --out"));
}

TEST_F(Reproduce, WritesThroughNoLink) {
  const TemporaryFolder elsewhere;
  make_folder(folder_ / "out");
  std::filesystem::create_symlink(elsewhere.path(), folder_ / "out/toy");
  EXPECT_SPML_ERROR(run(parse(R"("rows": [{"loss": "an"}])")), HasSubstr("found a symbolic link"));
  EXPECT_TRUE(std::filesystem::is_empty(elsewhere.path()));
}

TEST_F(Reproduce, CountingStopsOnRequestToo) {
  SweepEvents events;
  events.stop_requested = [] { return true; };
  try {
    reproduce(parse(R"("rows": [{"statistic": "k-low"}])"), options(), events);
    ADD_FAILURE() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kInterrupted);
  }
}

// Samples of thousands of rows are drawn less often: what comes out hardly differs.
TEST_F(Reproduce, LargeSamplesHaveNarrowIntervals) {
  const ExperimentResult all = run(parse(R"("rows": [{"statistic": "mean-positives"},
      {"statistic": "k-low", "size": 80}, {"statistic": "k-high", "size": 80}])"));
  const auto value = [&](size_t row) { return *all.rows.at(row).cells.find("toy")->ours; };
  EXPECT_EQ(value(1), value(0));  // all 80 rows are in every sample
  EXPECT_EQ(value(2), value(0));
}

TEST_F(Reproduce, SettingsOfEarlierResultsAreInTheirRange) {
  write_file(
      folder_ / "first.json",
      R"({"rows": [{"loss": "an"}], "lr": [0.01], "batch": [8], "settings": {"epochs": 1}})");
  const Experiment first = load_experiment(folder_ / "first.json");
  const std::string good = json_text(reproduce(first, options()));
  const Experiment second = parse_experiment(
      R"({"rows": [{"loss": "an"}], "settings": {"epochs": 1}, "settings_from": ")" +
          (folder_ / "first.json").string() + "\"}",
      "second", "second.json");
  for (const std::string bad : {"0", "18446744073709551615"}) {
    std::string text = good;
    const std::string batch = "\"batch\": 8";
    ASSERT_NE(text.find(batch), std::string::npos);
    write_file(folder_ / "out/results.json",
               text.replace(text.find(batch), batch.size(), "\"batch\": " + bad));
    EXPECT_SPML_ERROR(
        reproduce(second, options()),
        testing::AllOf(HasSubstr("results.json"), HasSubstr("found 0.01 and " + bad)));
  }
}

}  // namespace
}  // namespace spml
