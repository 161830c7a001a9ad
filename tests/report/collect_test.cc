// What the page is given of runs and sweeps.
#include "report/collect.h"

#include <map>

#include "testing.h"

namespace spml {
namespace {

using testing::AllOf;
using testing::HasSubstr;

void write_run(const Path& folder, const std::string& loss, double lr, double val, double test) {
  make_folder(folder);
  const Json result = {{"loss", loss},
                       {"mode", "linear"},
                       {"lr", lr},
                       {"batch", 16},
                       {"epochs", 2},
                       {"seed", 0},
                       {"k", 1.5},
                       {"params", Json::object()},
                       {"best_epoch", 2},
                       {"val_map", val},
                       {"test_map", test},
                       {"train_map", nullptr},
                       {"per_class_ap", {test, test}}};
  const Json config = {{"version", "1"},
                       {"config", {{"loss", loss}, {"lr", lr}, {"seed", 0}}},
                       {"classes", {"cat", "dog"}}};
  write_file(folder / "result.json", result.dump());
  write_file(folder / "config.json", config.dump());
  write_file(folder / "metrics.jsonl",
             "{\"epoch\":1,\"val_map\":40}\n{\"epoch\":2,\"val_map\":50}\n");
}

TEST(Collect, RanksLossesThatSeeObservedPositivesAmongThemselves) {
  const TemporaryFolder folder;
  write_run(folder / "bce", "bce", 1e-3, 91, 90);
  write_run(folder / "an", "an", 1e-3, 71, 70);
  write_run(folder / "an-ls", "an-ls", 1e-3, 75, 74);
  write_run(folder / "role", "role", 1e-3, 81, 80);
  const Json report = collect({folder / "bce", folder / "an", folder / "an-ls", folder / "role"});
  std::map<std::string, int> ranks;
  for (const Json& entry : report["sections"][0]["groups"][0]["rows"])
    ranks[entry["label"].get<std::string>()] = entry["rank"].get<int>();
  EXPECT_EQ(ranks, (std::map<std::string, int>{{"bce", 0}, {"an", 0}, {"an-ls", 2}, {"role", 1}}));
}

TEST(Collect, ChoosesOnValidationAndKeepsEveryCurve) {
  const TemporaryFolder folder;
  write_run(folder / "slow", "an", 1e-4, 60, 99);
  write_run(folder / "fast", "an", 1e-3, 70, 65);
  const Json group = collect({folder / "slow", folder / "fast"})["sections"][0]["groups"][0];
  EXPECT_EQ(group["rows"][0]["winner"]["test_map"], 65);
  EXPECT_EQ(group["runs"][0]["chosen"], false);
  EXPECT_EQ(group["runs"][1]["chosen"], true);
  EXPECT_EQ(group["runs"][0]["curve"], Json({40, 50}));
}

TEST(Collect, RefusesWhatNoRunWrites) {
  const TemporaryFolder folder;
  EXPECT_SPML_ERROR(collect({folder.path()}), HasSubstr("found none"));
  write_run(folder / "run", "an", 1e-3, 70, 65);
  write_file(folder / "run/config.json", "{}");
  EXPECT_SPML_ERROR(collect({folder / "run"}), HasSubstr("expected what spml writes there"));
  write_file(folder / "results.jsonl", "{\"run\":\"../../elsewhere\"}\n");
  EXPECT_SPML_ERROR(collect({folder.path()}),
                    AllOf(HasSubstr("inside the folder"), HasSubstr("elsewhere")));
}

TEST(Collect, ReproductionsBringTheirChoices) {
  const TemporaryFolder folder;
  write_run(folder / "toy/runs/a", "an", 1e-3, 70, 65);
  write_run(folder / "toy/runs/b", "an", 1e-4, 80, 60);
  const Json runs = {{"toy", {"toy/runs/a", "toy/runs/b"}}}, chosen = {{"toy", {"toy/runs/b"}}};
  const Json row = {{"label", "an"}, {"loss", "an"}, {"runs", runs}, {"chosen", chosen}};
  const Json experiment = {{"title", "Table 9"},
                           {"show", "table"},
                           {"columns", {"other", "toy"}},
                           {"rows", Json::array({row})}};
  const auto write = [&](const Json& value) {
    write_file(folder / "results.json", Json({{"experiments", {{"mine", value}}}}).dump());
  };
  write(experiment);
  const Json section = collect({folder.path()})["sections"][0];
  EXPECT_EQ(section["title"], "Table 9");
  ASSERT_EQ(section["groups"].size(), 1u);
  const Json& group = section["groups"][0];
  EXPECT_EQ(group["name"], "toy");
  EXPECT_EQ(group["rows"][0]["winner"]["test_map"], 60);
  EXPECT_EQ(group["runs"][0]["chosen"], false);
  EXPECT_EQ(group["runs"][1]["chosen"], true);

  Json outside = experiment;
  outside["rows"][0]["runs"]["toy"][0] = "/etc";
  write(outside);
  EXPECT_SPML_ERROR(collect({folder.path()}), HasSubstr("inside the folder"));
  write({{"title", 3}});
  EXPECT_SPML_ERROR(collect({folder.path()}), HasSubstr("expected what spml writes there"));
}

}  // namespace
}  // namespace spml
