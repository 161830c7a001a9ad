// What the demo concludes follows from the numbers.
#include "reproduce/demo.h"
#include "base/folders.h"

#include "data/synth.h"
#include "testing.h"

namespace spml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Results of the demo with the test MAP of each loss.
DemoResult results_with(const std::vector<std::pair<std::string, double>>& maps) {
  DemoResult result;
  for (const auto& [loss, map] : maps) result.sweep.best[loss].result.test_map = map;
  result.data = {5000, 4000, 256, 20, 1.5};
  return result;
}

TEST(Conclusions, NameTheBestSinglePositiveLossAndItsDistance) {
  // iun sees the true negatives and is no competitor.
  const DemoResult best =
      results_with({{"bce", 80}, {"iun", 79}, {"an", 70}, {"an-ls", 72}, {"role", 78}});
  EXPECT_THAT(conclusions(best),
              ElementsAre("The data: 4000 rows to learn from, 256 features, 20 labels, of which a "
                          "row has 1.50.",
                          "With all 20 labels of every row known, bce reaches a test MAP of 80.0.",
                          "With one positive label per row and nothing else, role does best: 78.0, "
                          "2.0 below full labels (97.5 % of their MAP).",
                          "Taking every unknown label for absent (an) costs 10.0; role wins 80 % "
                          "of that back."));
}

TEST(Conclusions, SayWhenOneLabelDoesBetterThanAll) {
  const auto sentences = conclusions(results_with({{"bce", 80}, {"an", 70}, {"role", 81}}));
  EXPECT_THAT(sentences.at(2), HasSubstr("1.0 above full labels"));
}

TEST(Conclusions, SayWhenNothingBeatsTheUsualAssumption) {
  const auto sentences = conclusions(results_with({{"bce", 80}, {"an", 75}, {"role", 74}}));
  EXPECT_THAT(sentences.at(2), HasSubstr("an does best"));
  EXPECT_THAT(sentences.at(3), HasSubstr("No loss does better"));
}

TEST(Demo, TrainsTheWholeGridAndARerunReadsItBack) {
  const TemporaryFolder folder;
  const DemoFolder demo{folder / "demo"};
  const DemoOptions options{.jobs = 2, .rows = 60, .epochs = 1};
  const DemoResult first = run_demo(demo, options);
  EXPECT_EQ(first.sweep.runs, 9u * 4 * 2);
  EXPECT_EQ(first.sweep.best.size(), 9u);
  EXPECT_EQ(first.data.train_rows, 48u);
  EXPECT_EQ(conclusions(first).size(), 4u);
  DemoResult again = run_demo(demo, options);
  again.sweep.seconds = first.sweep.seconds;
  EXPECT_EQ(json_text(again.sweep), json_text(first.sweep));
  EXPECT_THAT(json_text(first, std::nullopt), HasSubstr("\"page\": null"));
}

TEST(Demo, LeavesOtherFoldersAlone) {
  const TemporaryFolder folder;
  write_file(folder / "report.html", "mine");
  EXPECT_SPML_ERROR(run_demo({folder.path()}, {}), HasSubstr("found other files"));
  EXPECT_EQ(read_file(folder / "report.html"), "mine");
}

TEST(Demo, WritesThroughNoLink) {
  for (const char* name : {"data", "sweep"}) {
    const TemporaryFolder folder, elsewhere;
    make_folder(folder / "data");
    if (std::string(name) == "data") std::filesystem::remove(folder / "data");
    std::filesystem::create_symlink(elsewhere.path(), folder / name);
    EXPECT_SPML_ERROR(run_demo({folder.path()}, {.rows = 60, .epochs = 1}),
                      HasSubstr("found a symbolic link"));
    EXPECT_TRUE(std::filesystem::is_empty(elsewhere.path()));
  }
}

TEST(Demo, NeedsTheFullLabelsOfItsData) {
  const TemporaryFolder folder;
  const DemoFolder demo{folder.path()};
  make_folder(demo.data());
  SynthOptions options;
  options.rows = 60;
  write_synthetic(demo.data(), options);
  std::filesystem::remove(truth_file(demo.data(), "train"));
  EXPECT_SPML_ERROR(run_demo(demo, {.rows = 60, .epochs = 1}), HasSubstr("full labels"));
}

}  // namespace
}  // namespace spml
