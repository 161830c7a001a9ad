// What the demo concludes follows from the numbers.
#include "experiment/demo.h"

#include "testing.h"

namespace spml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// best.json's "best" with the test MAP of each loss, for 20 classes.
Json winners(const std::vector<std::pair<std::string, double>>& maps) {
  Json best = Json::object();
  for (const auto& [loss, map] : maps) {
    best[loss] = {{"test_map", map}, {"per_class_ap", std::vector<double>(20, map)}};
  }
  return best;
}

TEST(Conclusions, NameTheBestSinglePositiveLossAndItsDistance) {
  // iun sees the true negatives and is no competitor.
  const Json best = winners({{"bce", 80}, {"iun", 79}, {"an", 70}, {"an-ls", 72}, {"role", 78}});
  EXPECT_THAT(conclusions(best),
              ElementsAre("With all 20 labels of every example known, bce reaches a test MAP of "
                          "80.0.",
                          "With one positive label per example and nothing else, role does best: "
                          "78.0, 2.0 below full labels (98 % of their MAP).",
                          "Taking every unknown label for absent (an) costs 10.0; role wins 80 % "
                          "of that back."));
}

TEST(Conclusions, SayWhenOneLabelDoesBetterThanAll) {
  const auto sentences = conclusions(winners({{"bce", 80}, {"an", 70}, {"role", 81}}));
  EXPECT_THAT(sentences.at(1), HasSubstr("1.0 above full labels"));
}

TEST(Conclusions, SayWhenNothingBeatsTheUsualAssumption) {
  const auto sentences = conclusions(winners({{"bce", 80}, {"an", 75}, {"role", 74}}));
  EXPECT_THAT(sentences.at(1), HasSubstr("an does best"));
  EXPECT_THAT(sentences.at(2), HasSubstr("No loss does better"));
}

}  // namespace
}  // namespace spml
