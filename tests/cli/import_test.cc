// spml import, run as a user runs it.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "data/dataset.h"
#include "data/import_trees.h"
#include "training.h"

namespace spml {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ImportVerb, HelpAndUsage) {
  for (const std::string source : {"voc", "coco", "nus", "cub", "csv", "folder"}) {
    EXPECT_THAT(run_program({"import", source, "--help"}).out, HasSubstr("--out"));
  }
  expect_failure({"import", "vco", "x", "--out", "y"}, 2, "did you mean 'voc'?");
  expect_failure({"import", "voc", "x"}, 2, "--out");
  expect_failure({"import", "coco", "x", "--out", "y", "--year", "2015"}, 2, "year");
  expect_failure({"import", "csv", "x", "--out", "y", "--ful"}, 2, "did you mean '--full'?");
}

TEST(ImportVerb, ATableBecomesADataFolder) {
  const TemporaryFolder folder;
  put(folder / "t.csv", "image,label,split\na.jpg,cat,train\nb.jpg,dog,test\nc.jpg,dog,train\n");
  const std::string table = folder / "t.csv", out = folder / "out";
  expect_failure({"import", "csv", table, "--out", out}, 1, "t.csv:2: 3 of 3 images are not in");
  EXPECT_FALSE(std::filesystem::exists(out));

  const Ran ran = run_program({"import", "csv", table, "--out", out, "--allow-missing", "--json"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.err, StartsWith("spml: warning: 3 of 3 images are not in"));
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json["train_file"]["rows"], 2);
  EXPECT_EQ(json["test_file"]["rows"], 1);
  EXPECT_EQ(json["label_kind"], "observed");
  EXPECT_EQ(json["warnings"].size(), 1u);
  expect_failure({"import", "csv", table, "--out", out, "--allow-missing"}, 1, "--overwrite");

  const Dataset data = open_dataset(out);
  EXPECT_EQ(data.classes, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_TRUE(data.train_file.truth.empty());
  EXPECT_EQ(data.train_file.observed.rows(), 2u);
  EXPECT_EQ(data.test.images.text(0), "b.jpg");
}

TEST(ImportVerb, TheWordDecidesHowATableIsRead) {
  const TemporaryFolder folder;
  put(folder / "lines.txt", "{\"image\": \"a.jpg\", \"label\": \"cat\"}\n");
  put(folder / "table.json", "image,label\na.jpg,cat\n");
  const auto import = [&](const std::string& word, const std::string& file) {
    return run_program({"import", word, folder / file, "--out", folder / word, "--allow-missing"});
  };
  EXPECT_EQ(import("jsonl", "lines.txt").exit_code, 0);
  EXPECT_EQ(import("csv", "table.json").exit_code, 0);
  EXPECT_EQ(open_dataset(folder / "jsonl").classes, std::vector<std::string>{"cat"});
  EXPECT_EQ(open_dataset(folder / "csv").classes, std::vector<std::string>{"cat"});
}

TEST(ImportVerb, TheReportHasColumnsOfLabelsAndKnownNegatives) {
  const TemporaryFolder folder;
  put(folder / "t.csv", "image,label,not\na.jpg,cat,dog\nb.jpg,dog,\n");
  std::vector<std::string> arguments = {"import", "csv", folder / "t.csv", "--out", folder / "a"};
  arguments.emplace_back("--allow-missing");
  const Ran text = run_program(arguments);
  EXPECT_THAT(text.out, HasSubstr("labels are those of the column: label\n"));
  EXPECT_THAT(text.out, HasSubstr("training known negatives             1\n"));
  EXPECT_THAT(text.out, Not(HasSubstr("published"))) << "there is no paper";
  EXPECT_THAT(text.out, Not(HasSubstr("test known negatives")));
  arguments.insert(arguments.end(), {"--overwrite", "--json"});
  const auto json = nlohmann::json::parse(run_program(arguments).out);
  EXPECT_EQ(json["label_columns"], nlohmann::json({"label"}));
  EXPECT_EQ(json["train_file"]["known_negatives"], 1);
}

TEST(ImportVerb, VocIsCountedAndItsBoxesSteerTheDraw) {
  const Path tree = shared_data() / "voc12-mini";
  SPML_NEED_SHARED(tree);
  const TemporaryFolder folder;
  const std::string out = folder / "out";
  const Ran ran = run_program({"import", "voc", tree, "--out", out});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("training rows                      160       5717"));
  EXPECT_THAT(ran.err, HasSubstr("warning: found 160 training rows, the paper has 5717"));
  std::vector<std::string> draws;
  for (const std::string bias :
       {"uniform", "frequency", "rarity", "area", "largest", "center", "area,rarity"}) {
    const Ran drawn = run_program({"observe", out, "--bias", bias, "--force"});
    ASSERT_EQ(drawn.exit_code, 0) << drawn.err;
    draws.push_back(read_file(observed_file(out, "train")));
    open_dataset(out);  // checks that every observed positive is true
  }
  std::sort(draws.begin(), draws.end());
  EXPECT_EQ(std::unique(draws.begin(), draws.end()), draws.end());
  put(folder / "w.json", "{\"car\": 1}");
  expect_failure(
      {"observe", out, "--force", "--bias", "frequency", "--bias-weights", folder / "w.json"}, 1,
      "found none for 'aeroplane'");
  expect_failure({"observe", out, "--force", "--bias", "area", "--bias-weights", folder / "w.json"},
                 2, "--bias frequency");
}

}  // namespace
}  // namespace spml
