// spml reproduce, spml report and spml demo as users meet them.
#include "training.h"

namespace spml {
namespace {

using testing::HasSubstr;

const char* kExperiment = R"({"title": "Mine", "settings": {"epochs": 2}, "lr": [0.01],
    "batch": [8], "datasets": ["toy", "coco"], "rows": [
      {"loss": "bce", "paper": {"toy": 50, "coco": 70}}, {"loss": "role"}]})";

TEST(ReproduceVerb, WritesResultsCsvAndPage) {
  const TemporaryFolder folder;
  const std::string data = make_data(folder / "data"), out = folder / "out";
  write_file(folder / "mine.json", kExperiment);
  const Words command = {"reproduce", folder / "mine.json", "--data", "toy=" + data, "--out", out};
  const Ran ran = expect_success(command);
  EXPECT_THAT(ran.out, HasSubstr("coco"));
  EXPECT_THAT(ran.out, HasSubstr("difference"));
  EXPECT_THAT(ran.out, HasSubstr("2 runs in"));
  const auto results = read_json(Path(out) / "results.json");
  EXPECT_EQ(results["experiments"]["mine"]["rows"].size(), 2u);
  EXPECT_THAT(read_file(Path(out) / "mine.csv"), HasSubstr("toy,role,"));

  const auto again = expect_success(command + Words{"--json", "--quiet"});
  EXPECT_EQ(again.err, "");
  EXPECT_EQ(again.json()["rows"], results["experiments"]["mine"]["rows"]);
  const auto seeds = expect_success(command + Words{"--json", "--quiet", "--seeds", "2"}).json();
  EXPECT_EQ(seeds["runs"], 4);
  EXPECT_TRUE(seeds["rows"][1]["cells"]["toy"].contains("std"));
}

TEST(ReproduceVerb, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const std::string data = make_data(folder / "data"), out = folder / "out";
  expect_failure({"reproduce", "tabel1", "--data", "voc12=" + data, "--out", out}, 2, "'table1'");
  expect_failure({"reproduce", "table1", "--data", "voc12", "--out", out}, 2, "NAME=DIR");
  expect_failure({"reproduce", "table1", "--data", "a/b=" + data, "--out", out}, 2, "NAME=DIR");
  expect_failure(
      {"reproduce", "table1", "--data", "a=" + data, "--data", "a=" + data, "--out", out}, 2,
      "given twice");
  // No such file, or no image support to read it with.
  expect_failure({"reproduce", "table1", "--data", "a=" + data, "--mode", "finetune", "--weights",
                  folder / "none", "--out", out},
                 1, "");
  expect_failure({"reproduce", "table2", "--data", "a=" + data, "--mode", "finetune", "--out", out},
                 2, "expected --mode linear");
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST(ReportVerb, MakesOnePageOrSaysWhyNot) {
  const TemporaryFolder folder;
  const std::string data = make_data(folder / "data"), run = folder / "run";
  const std::string page = folder / "page.html";
  expect_success({"train", data, "--loss", "an", "--epochs", "1", "--out", run, "--quiet"});
  const Ran ran = run_program(Words{"report", run, "--out", page, "--json"});
  if (ran.exit_code == 0) {
    EXPECT_EQ(ran.json()["bytes"], std::filesystem::file_size(page));
    EXPECT_THAT(read_file(page), HasSubstr("<!doctype html>"));
  } else {
    EXPECT_THAT(ran.err, HasSubstr("-DSPML_WEB=ON"));
    EXPECT_FALSE(std::filesystem::exists(page));
  }
  expect_failure({"report", data, "--out", page}, 1, "found none");
}

TEST(ReportVerb, ReplacesPagesOnly) {
  const TemporaryFolder folder;
  write_file(folder / "notes.csv", "mine");
  expect_failure({"report", folder.path().string(), "--out", folder / "notes.csv"}, 1,
                 "expected a page to replace");
  EXPECT_EQ(read_file(folder / "notes.csv"), "mine");
}

}  // namespace
}  // namespace spml
