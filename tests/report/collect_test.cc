// What the page is given of runs and sweeps.
#include "report/collect.h"
#include "base/folders.h"

#include <map>

#include "reproduce/reproduce.h"
#include "testing.h"

namespace spml {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// A run folder without its model.
void write_run(const Path& folder, const std::string& loss, double lr, double val, double test,
               uint64_t seed = 0) {
  make_folder(folder);
  RunRecord run;
  run.setup.version = "1";
  run.setup.identity.config.loss = loss;
  run.setup.identity.config.lr = lr;
  run.setup.identity.config.seed = seed;
  run.setup.classes = {"cat", "dog"};
  run.result.loss = loss;
  run.result.lr = lr;
  run.result.batch = run.setup.identity.config.batch;
  run.result.seed = seed;
  run.result.best_epoch = 2;
  run.result.val_map = val;
  run.result.test_map = test;
  run.result.per_class_ap = {test, test};
  EpochRecord first, second;
  first.epoch = 1;
  first.val_map = 40;
  second.epoch = 2;
  second.val_map = 50;
  const RunFolder files{folder};
  write_file(files.config(), json_text(run.setup));
  write_file(files.metrics(), json_text(first) + "\n" + json_text(second) + "\n");
  write_file(files.result(), json_text(run.result));
}

TEST(Collect, RanksLossesThatSeeObservedPositivesAmongThemselves) {
  const TemporaryFolder folder;
  write_run(folder / "bce", "bce", 1e-3, 91, 90);
  write_run(folder / "an", "an", 1e-3, 71, 70);
  write_run(folder / "an-ls", "an-ls", 1e-3, 75, 74);
  write_run(folder / "role", "role", 1e-3, 81, 80);
  const Report report = collect({folder / "bce", folder / "an", folder / "an-ls", folder / "role"});
  std::map<std::string, int> ranks;
  for (const ReportRow& row : report.sections.at(0).groups.at(0).rows) ranks[row.label] = row.rank;
  EXPECT_EQ(ranks, (std::map<std::string, int>{{"bce", 0}, {"an", 0}, {"an-ls", 2}, {"role", 1}}));
}

TEST(Collect, ChoosesOnValidationAndKeepsEveryCurve) {
  const TemporaryFolder folder;
  write_run(folder / "slow", "an", 1e-4, 60, 99);
  write_run(folder / "fast", "an", 1e-3, 70, 65);
  const Report report = collect({folder / "slow", folder / "fast"});
  const ReportGroup& group = report.sections.at(0).groups.at(0);
  EXPECT_EQ(group.rows.at(0).winner->result.test_map, 65);
  EXPECT_FALSE(group.runs.at(0).chosen);
  EXPECT_TRUE(group.runs.at(1).chosen);
  EXPECT_THAT(group.classes, ElementsAre("cat", "dog"));
  const std::string page_data = json_text(report);
  EXPECT_THAT(page_data, HasSubstr(R"("curve":[40.0,50.0])"));
  EXPECT_THAT(page_data, HasSubstr(R"("winner":{"loss":"an","mode":"linear","lr":0.001)"));
}

TEST(Collect, SeedsOfTheWinnerAreAllChosen) {
  const TemporaryFolder folder;
  write_run(folder / "a", "an", 1e-3, 70, 60, 0);
  write_run(folder / "b", "an", 1e-3, 72, 64, 1);
  write_run(folder / "c", "an", 1e-4, 70, 99, 0);
  const Report report = collect({folder / "a", folder / "b", folder / "c"});
  const ReportGroup& group = report.sections.at(0).groups.at(0);
  EXPECT_EQ(group.rows.at(0).winner->test_map_mean, 62);
  EXPECT_TRUE(group.runs.at(0).chosen);
  EXPECT_TRUE(group.runs.at(1).chosen);
  EXPECT_FALSE(group.runs.at(2).chosen);
}

TEST(Collect, RunsOnOtherDataAreNoRivals) {
  const TemporaryFolder folder;
  write_run(folder / "a", "an", 1e-3, 70, 60);
  write_run(folder / "b", "an", 1e-3, 80, 75);
  const RunFolder other{folder / "b"};
  RunSetup setup = read_run_setup(other.config());
  setup.data = "elsewhere";
  setup.identity.data_fingerprint = "0123456789abcdef";
  write_file(other.config(), json_text(setup));
  const Report report = collect({folder / "a", folder / "b"});
  ASSERT_EQ(report.sections.size(), 2u);
  EXPECT_EQ(report.sections.at(1).title, "Runs on elsewhere");
  for (const ReportSection& section : report.sections) {
    EXPECT_EQ(section.groups.at(0).runs.size(), 1u);
    EXPECT_TRUE(section.groups.at(0).runs.at(0).chosen);
  }
}

TEST(Collect, RefusesWhatNoRunWrites) {
  const TemporaryFolder folder;
  EXPECT_SPML_ERROR(collect({folder.path()}), HasSubstr("found none"));
  write_run(folder / "run", "an", 1e-3, 70, 65);
  write_file(folder / "run/config.json", "{}");
  EXPECT_SPML_ERROR(collect({folder / "run"}),
                    AllOf(HasSubstr("config.json"), HasSubstr("expected 'version'")));
  write_run(folder / "run", "an", 1e-3, 70, 65);
  write_file(folder / "run/metrics.jsonl", "{\"epoch\":1}\n[]\n");
  EXPECT_SPML_ERROR(collect({folder / "run"}), HasSubstr("metrics.jsonl:1: expected 'train_loss'"));
  write_run(folder / "run", "an", 1e-3, 70, 65);
  write_file(folder / "run/result.json", std::string(1000, '['));
  EXPECT_SPML_ERROR(collect({folder / "run"}), HasSubstr("nested"));
}

// A line of results.jsonl that names this run.
std::string sweep_line(const std::string& run) {
  RunResult result;
  result.loss = "an";
  std::string text = json_text(result);
  text.erase(text.rfind('}'));
  std::erase(text, '\n');
  return text + ",\"run\":\"" + run + "\"}\n";
}

TEST(Collect, ReadsNothingOutsideOfASweep) {
  const TemporaryFolder folder;
  write_file(folder / "results.jsonl", sweep_line("../../elsewhere"));
  EXPECT_SPML_ERROR(collect({folder.path()}),
                    AllOf(HasSubstr("inside the folder"), HasSubstr("elsewhere")));
}

TEST(Collect, ASweepHasEveryRunOnce) {
  const TemporaryFolder folder;
  write_run(folder / "runs/a", "an", 1e-3, 70, 60);
  write_file(folder / "results.jsonl", sweep_line("runs/a") + sweep_line("runs/a"));
  EXPECT_SPML_ERROR(collect({folder.path()}),
                    AllOf(HasSubstr("results.jsonl"), HasSubstr("'runs/a' twice")));
}

TEST(Collect, LossesOfUsersSeeWhatTheySay) {
  const TemporaryFolder folder;
  write_run(folder / "run", "an", 1e-3, 70, 60);
  const RunFolder files{folder / "run"};
  RunRecord run = read_run(files.path);
  run.setup.identity.config.loss = run.result.loss = "mine";
  run.setup.identity.config.own_loss = recorded_loss("mine", false);
  write_file(files.config(), json_text(run.setup));
  write_file(files.result(), json_text(run.result));
  const Report report = collect({folder / "run"});
  const ReportRow& row = report.sections.at(0).groups.at(0).rows.at(0);
  EXPECT_EQ(row.label, "mine");
  EXPECT_EQ(row.labels, "observed positives");
}

TEST(Collect, SaysWhichSeedsASweepLacks) {
  const TemporaryFolder folder;
  write_run(folder / "runs/a", "an", 1e-3, 70, 60);
  write_file(folder / "results.jsonl", sweep_line("runs/a"));
  SweepSummary summary;
  summary.best["an"].seeds_missing = {1, 2};
  write_file(folder / "best.json", json_text(summary));
  EXPECT_THAT(json_text(collect({folder.path()})), HasSubstr(R"("seeds_missing":[1,2])"));
}

TEST(Collect, ReproductionsBringTheirChoices) {
  const TemporaryFolder folder;
  write_run(folder / "toy/runs/a", "an", 1e-3, 70, 65);
  write_run(folder / "toy/runs/b", "an", 1e-4, 80, 60);
  ResultRow row;
  row.label = row.loss = "an";
  row.runs["toy"] = {"toy/runs/a", "toy/runs/b", "toy/runs/a"};  // points may share a run
  row.chosen["toy"] = {"toy/runs/b"};
  Reproduction reproduction;
  ExperimentResult& experiment = reproduction.experiments["mine"];
  experiment.title = "Table 9";
  experiment.columns = {"other", "toy"};
  experiment.rows = {row};
  write_file(folder / "results.json", json_text(reproduction));
  const Report report = collect({folder.path()});
  const ReportSection& section = report.sections.at(0);
  EXPECT_EQ(section.title, "Table 9");
  ASSERT_EQ(section.groups.size(), 1u);
  const ReportGroup& group = section.groups[0];
  EXPECT_EQ(group.name, "toy");
  EXPECT_EQ(group.rows.at(0).winner->result.test_map, 60);
  EXPECT_EQ(group.rows.at(0).winner->result.per_class_ap.size(), 2u);
  EXPECT_EQ(group.classes.size(), 2u);
  ASSERT_EQ(group.runs.size(), 2u);
  EXPECT_FALSE(group.runs.at(0).chosen);
  EXPECT_TRUE(group.runs.at(1).chosen);
  EXPECT_TRUE(section.experiment->rows.at(0).runs.empty());
  EXPECT_EQ(json_text(collect(folder.path(), reproduction)), json_text(report));

  experiment.rows[0].runs["toy"][0] = "/etc";
  write_file(folder / "results.json", json_text(reproduction));
  EXPECT_SPML_ERROR(collect({folder.path()}), HasSubstr("inside the folder"));
  experiment.rows[0].runs["toy"][0] = "toy/runs/a";
  experiment.rows[0].loss = "no-such-loss";
  write_file(folder / "results.json", json_text(reproduction));
  EXPECT_SPML_ERROR(collect({folder.path()}),
                    AllOf(HasSubstr("results.json"), HasSubstr("no-such-loss")));
  write_file(folder / "results.json", R"({"version": "1", "experiments": {"mine": {"title": 3}}})");
  EXPECT_SPML_ERROR(collect({folder.path()}), AllOf(HasSubstr("results.json"), HasSubstr("mine")));
}

}  // namespace
}  // namespace spml
