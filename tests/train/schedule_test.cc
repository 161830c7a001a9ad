#include "train/schedule.h"

#include <gtest/gtest.h>

namespace spml {
namespace {

TEST(LearningSchedule, StaysUnlessAskedOtherwise) {
  const LearningSchedule constant;
  for (const double progress : {0.0, 0.3, 1.0}) EXPECT_EQ(constant.factor(progress), 1);
}

TEST(LearningSchedule, FallsAlongHalfACosine) {
  const LearningSchedule cosine{.cosine = true};
  EXPECT_EQ(cosine.factor(0), 1);
  EXPECT_NEAR(cosine.factor(1.0 / 3), 0.75, 1e-12);
  EXPECT_NEAR(cosine.factor(0.5), 0.5, 1e-12);
  EXPECT_NEAR(cosine.factor(1), 0, 1e-12);
}

TEST(LearningSchedule, RisesBeforeItFalls) {
  const LearningSchedule both{.cosine = true, .warmup = 0.2};
  EXPECT_EQ(both.factor(0), 0);
  EXPECT_NEAR(both.factor(0.1), 0.5, 1e-12);
  EXPECT_EQ(both.factor(0.2), 1);
  EXPECT_NEAR(both.factor(0.6), 0.5, 1e-12);
  EXPECT_NEAR(both.factor(1), 0, 1e-12);
  const LearningSchedule constant{.cosine = false, .warmup = 0.2};
  EXPECT_NEAR(constant.factor(0.05), 0.25, 1e-12);
  EXPECT_EQ(constant.factor(0.9), 1);
}

TEST(LearningSchedule, MayRiseAllTheWay) {
  const LearningSchedule rising{.cosine = true, .warmup = 1};
  EXPECT_NEAR(rising.factor(0.7), 0.7, 1e-12);
  EXPECT_EQ(rising.factor(1), 1);
}

}  // namespace
}  // namespace spml
