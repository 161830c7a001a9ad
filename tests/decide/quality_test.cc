#include "decide/quality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace spml {
namespace {

using ::testing::ElementsAre;

float logit(double p) { return static_cast<float>(std::log(p / (1 - p))); }

// Three rows of two labels, with curves that leave logits as they are.
struct Example {
  std::vector<float> logits = {logit(0.9), logit(0.2), logit(0.6),
                               logit(0.7), logit(0.1), logit(0.3)};
  std::vector<int8_t> known = {1, 0, 0, 1, 0, 1};
  std::vector<float> thresholds = {0.5F, 0.5F};
  LabelFit fit;
  Example() { fit.calibration = {{1, 1}, {0, 0}}; }
  ExpectedQuality quality() const {
    return expected_quality({logits.data(), 3, 2}, {known.data(), 3, 2}, fit, thresholds);
  }
};

TEST(ExpectedQuality, CountsProbabilities) {
  const ExpectedQuality quality = Example().quality();
  EXPECT_NEAR(quality.precision.value, (0.9 + 0.6 + 0.7) / 3, 1e-6);
  EXPECT_NEAR(quality.recall.value, 2.2 / 2.8, 1e-6);
  EXPECT_NEAR(quality.f1.value, 2 * 2.2 / (3 + 2.8), 1e-6);
  EXPECT_NEAR(quality.tags.value, 1, 1e-12);
  EXPECT_NEAR(quality.found.value, 2.0 / 3, 1e-12);
  EXPECT_NEAR(quality.label_f1[1], 2 * 0.7 / (1 + 1.2), 1e-6);
  EXPECT_THAT(weakest_labels(quality, 5), ElementsAre(1, 0));
  EXPECT_LT(quality.recall.low, quality.recall.value);
}

TEST(ExpectedQuality, OtherPreferencesWidenItAndFewCompleteRowsDo) {
  Example example;
  const ExpectedQuality alone = example.quality();
  example.fit.alternatives = {{{1, 1}, {1, 1}}};  // each label more likely: fewer of them found
  const ExpectedQuality wider = example.quality();
  EXPECT_EQ(wider.recall.value, alone.recall.value);
  EXPECT_LT(wider.recall.low, alone.recall.low);
  EXPECT_GT(wider.precision.high, alone.precision.high - 1e-12);
  example.fit.alternatives.clear();
  example.fit.complete_rows = 1;
  EXPECT_LT(example.quality().precision.low, alone.precision.low);
}

}  // namespace
}  // namespace spml
