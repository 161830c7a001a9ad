#include "decide/thresholds.h"

#include <gtest/gtest.h>

namespace spml {
namespace {

TEST(ExpectedF1Threshold, CutsWhereTheExpectedF1IsHighest) {
  // Sum 1.9. Yes to 1, 2, 3, 4 rows: 2*0.9/2.9, 2*1.7/3.9, 2*1.8/4.9, 2*1.9/5.9: two rows.
  const std::vector<float> p = {0.1F, 0.9F, 0.1F, 0.8F};
  const float threshold = expected_f1_threshold(p);
  EXPECT_GT(threshold, 0.1F);
  EXPECT_LE(threshold, 0.8F);
}

TEST(ExpectedF1Threshold, OfLabelsThatAreCertainLiesBetweenThem) {
  const std::vector<float> p = {1, 1, 0, 0};
  const float threshold = expected_f1_threshold(p);
  EXPECT_GT(threshold, 0);
  EXPECT_LT(threshold, 1);
}

TEST(DecisionThresholds, LieBetweenTheLabelsOwnAndTheCommonOne) {
  // Label 0 is told well, label 1 is at most 0.2 likely anywhere.
  const std::vector<float> p = {0.95F, 0.20F, 0.90F, 0.10F, 0.05F, 0.15F, 0.02F, 0.05F};
  const View<const float> view{p.data(), 4, 2};
  const auto thresholds = decision_thresholds(view, 1);
  const float common = expected_f1_threshold(view.flat());
  const float own = expected_f1_threshold(std::vector<float>{0.20F, 0.10F, 0.15F, 0.05F});
  EXPECT_GT(thresholds[1], own);
  EXPECT_LT(thresholds[1], common);
  EXPECT_EQ(thresholds, decision_thresholds(view, 3));
}

TEST(DecisionThresholds, NameHalfAgainAsManyLabelsAsAreExpectedAtTheMost) {
  // Two labels of which nothing is known but how common they are: by F1 alone, both everywhere.
  std::vector<float> p;
  for (int i = 0; i < 10; ++i) p.insert(p.end(), {0.6F, 0.4F});
  const auto thresholds = decision_thresholds({p.data(), 10, 2}, 1);
  EXPECT_LE(thresholds[0], 0.6F);
  EXPECT_GT(thresholds[1], 0.4F);
}

TEST(DecisionThresholds, OfEqualProbabilitiesAreReachedByAllOfThem) {
  const std::vector<float> p(8, 0.3F);
  for (const float threshold : decision_thresholds({p.data(), 4, 2}, 1)) {
    EXPECT_LE(threshold, 0.3F + 1e-6F);
  }
}

}  // namespace
}  // namespace spml
