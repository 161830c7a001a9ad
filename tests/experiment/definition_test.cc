// The paper's experiments are all there, with its numbers; mistakes in a user's file are named.
#include "reproduce/definition.h"

#include <nlohmann/json.hpp>

#include "testing.h"

namespace spml {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Experiment parse(const std::string& text) { return parse_experiment(text, "mine", "mine.json"); }

TEST(Definition, EveryExperimentOfThePaperLoads) {
  for (const std::string& name : built_in_experiments()) {
    const Experiment experiment = load_experiment(name);
    EXPECT_EQ(experiment.name, name);
    EXPECT_FALSE(experiment.rows.empty());
    EXPECT_FALSE(experiment.title.empty());
  }
  EXPECT_SPML_ERROR(load_experiment("tabel1"),
                    AllOf(HasSubstr("figureA1"), HasSubstr("did you mean 'table1'")));
}

nlohmann::json published() {
  return nlohmann::json::parse(read_file(reference_data() / "paper-results.json"));
}

// The published numbers of a row by data set, in the paper's order.
void expect_paper(const ExperimentRow& row, Mode mode, const nlohmann::json& datasets,
                  const nlohmann::json& numbers) {
  const auto& paper = row.paper.at(mode);
  ASSERT_EQ(paper.size(), numbers.size()) << row.label;
  for (size_t i = 0; i < datasets.size(); ++i) {
    EXPECT_EQ(paper.at(datasets[i].get<std::string>()), numbers[i]) << row.label;
  }
}

TEST(Definition, NumbersOfTheTablesOfResultsAreThePapers) {
  const nlohmann::json paper = published();
  for (const char* name : {"table1", "table2", "tableA1"}) {
    const Experiment experiment = load_experiment(name);
    const auto& lines = paper[name]["rows"];
    const auto& datasets =
        paper[name].contains("datasets") ? paper[name]["datasets"] : paper["datasets"];
    for (size_t i = 0; i < lines.size(); ++i) {
      const ExperimentRow& row = experiment.rows.at(i);
      EXPECT_EQ(row.loss, lines[i]["loss"]);
      EXPECT_FALSE(row.extra);
      if (lines[i].contains("map")) expect_paper(row, Mode::kLinear, datasets, lines[i]["map"]);
      if (lines[i].contains("linear")) {
        expect_paper(row, Mode::kLinear, datasets, lines[i]["linear"]);
      }
      if (lines[i].contains("finetuned")) {
        expect_paper(row, Mode::kFinetune, datasets, lines[i]["finetuned"]);
      }
    }
    for (size_t i = lines.size(); i < experiment.rows.size(); ++i) {
      EXPECT_TRUE(experiment.rows[i].extra) << experiment.rows[i].label;
    }
  }
}

TEST(Definition, NumbersAboutLabelsAreThePapers) {
  const nlohmann::json paper = published();
  const auto intervals = load_experiment("tableA2").rows, counts = load_experiment("tableA3").rows;
  for (const auto& name : paper["datasets"]) {
    const auto dataset = name.get<std::string>();
    for (size_t i = 0; i < 6; ++i) {
      EXPECT_EQ(intervals.at(i).paper.at(Mode::kLinear).at(dataset),
                paper["tableA2"][dataset][i / 2][i % 2]);
      EXPECT_EQ(intervals[i].size, paper["tableA2"]["M"][i / 2]);
    }
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(counts.at(i).paper.at(Mode::kLinear).at(dataset), paper["tableA3"][dataset][i]);
    }
  }
}

TEST(Definition, ReadsSettingsGridAndParameters) {
  const Experiment experiment = parse(R"({
      "title": "Mine", "metric": "val_map", "lr": [0.1], "batch": [4], "seeds": 2,
      "settings": {"epochs": 3, "observe": "pos=1,neg=1,seed=5", "transform": "l2"},
      "rows": [{"loss": "role", "param": {"positive_scale": "L", "lambda": 2},
                "paper": {"mine": 50}}]})");
  EXPECT_EQ(experiment.metric, "val_map");
  EXPECT_THAT(experiment.lr, ElementsAre(0.1));
  EXPECT_THAT(experiment.batch, ElementsAre(4u));
  EXPECT_EQ(experiment.seeds, 2);
  EXPECT_EQ(experiment.settings.epochs, 3);
  EXPECT_EQ(experiment.settings.observe->num_neg, 1u);
  EXPECT_EQ(experiment.settings.transform, TransformKind::kL2);
  const ExperimentRow& row = experiment.rows.at(0);
  EXPECT_EQ(row.label, "role");
  EXPECT_EQ(row.params.at("positive_scale"), std::nullopt);
  EXPECT_EQ(row.params.at("lambda"), 2.0);
  EXPECT_EQ(row.paper.at(Mode::kLinear).at("mine"), 50);
}

TEST(Definition, SearchesThePapersGridUnlessToldOtherwise) {
  const Experiment experiment = parse(R"({"rows": [{"loss": "an"}]})");
  EXPECT_THAT(experiment.lr, ElementsAre(1e-2, 1e-3, 1e-4, 1e-5));
  EXPECT_THAT(experiment.batch, ElementsAre(8u, 16u));
}

TEST(Definition, NamesWhatIsWrong) {
  const auto expect_error = [](const std::string& text, const std::string& why) {
    EXPECT_SPML_ERROR(parse(text), AllOf(HasSubstr("mine.json"), HasSubstr(why)));
  };
  expect_error(R"([])", "expected a JSON object");
  expect_error(R"({"rows": []})", "1 to 1000 items");
  expect_error(R"({"row": [{"loss": "an"}]})", "did you mean 'rows'");
  expect_error(R"({"rows": [{"los": "an"}]})", "'rows'[0]: unknown key 'los'");
  expect_error(R"({"rows": [{}]})", "either a loss or a statistic");
  expect_error(R"({"rows": [{"statistic": "median"}]})", "mean-positives");
  expect_error(R"({"rows": [{"loss": "an"}, {"loss": "an"}]})", "'an' twice");
  expect_error(R"({"rows": [{"loss": "an"}], "settings": {"epochs": 0}})", "'epochs'");
  expect_error(R"({"rows": [{"loss": "an"}], "settings": {"transform": "log"}})", "standardize");
  expect_error(R"({"rows": [{"loss": "an"}], "modes": ["fast"]})", "linear-init");
  expect_error(R"({"rows": [{"loss": "an"}], "show": "curves"})", "'vary'");
  expect_error(R"({"rows": [{"loss": "an"}], "show": "heatmaps"})", "unobserved-positives");
  expect_error(R"({"rows": [{"loss": "an"}], "metric": "f1"})", "train_map");
  expect_error(R"({"rows": [{"loss": "an"}], "show": "curves",
                   "vary": {"subsample": [0.5, 2]}})",
               "'subsample'[1]");
  expect_error(R"({"rows": [{"loss": "role"}], "show": "curves", "vary": {"k": [0]}})", "'k'[0]");
}

TEST(Definition, NamesAreShortAndDataSetsFew) {
  const std::string name(513, 'x'), fits(512, 'x');
  for (const std::string text : {R"({"rows": [{"loss": "an", "label": "NAME"}]})",
                                 R"({"rows": [{"loss": "an", "labels": "NAME"}]})",
                                 R"({"rows": [{"loss": "an", "paper": {"NAME": 1}}]})",
                                 R"({"rows": [{"loss": "an"}], "title": "NAME"})",
                                 R"({"rows": [{"loss": "an"}], "row_title": "NAME"})",
                                 R"({"rows": [{"loss": "an"}], "datasets": ["NAME"]})"}) {
    const auto with = [&](const std::string& value) {
      std::string filled = text;
      return parse(filled.replace(filled.find("NAME"), 4, value));
    };
    EXPECT_SPML_ERROR(with(name), HasSubstr("expected at most 512 bytes, found 513"));
    with(fits);
  }
  nlohmann::json paper;
  for (int i = 0; i < 1001; ++i) paper[std::to_string(i)] = 1;
  const nlohmann::json many = {{"rows", {{{"loss", "an"}, {"paper", paper}}}}};
  EXPECT_SPML_ERROR(parse(many.dump()), HasSubstr("at most 1000 data sets, found 1001"));
}

TEST(Definition, ChecksLossesOfAFile) {
  const TemporaryFolder folder;
  write_file(folder / "mine.json", R"({"rows": [{"loss": "roll"}]})");
  EXPECT_SPML_ERROR(load_experiment(folder / "mine.json"), HasSubstr("'role'"));
  write_file(folder / "mine.json", R"({"rows": [{"loss": "role", "param": {"lamda": 1}}]})");
  EXPECT_SPML_ERROR(load_experiment(folder / "mine.json"), HasSubstr("'lambda'"));
  write_file(folder / "mine.json", R"({"rows": [{"loss": "role"}]})");
  EXPECT_EQ(load_experiment(folder / "mine.json").name, "mine");
}

}  // namespace
}  // namespace spml
