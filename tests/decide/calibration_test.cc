#include "decide/calibration.h"

#include <gtest/gtest.h>

#include <cmath>

namespace spml {
namespace {

TEST(Calibration, GivesSigmoidOfTheLabelsOwnCurve) {
  const Calibration curve{{2, 0.5}, {-1, 3}};
  std::vector<float> z = {0, 0, 1, -6};
  curve.apply(0, {z.data(), 2, 2});
  EXPECT_FLOAT_EQ(z[0], 1 / (1 + std::exp(1.0F)));
  EXPECT_FLOAT_EQ(z[1], 1 / (1 + std::exp(-3.0F)));
  EXPECT_FLOAT_EQ(z[2], 1 / (1 + std::exp(-1.0F)));
  EXPECT_FLOAT_EQ(z[3], 0.5F);
  EXPECT_FLOAT_EQ(curve.probability(1, -6), 0.5F);
}

TEST(FitCurve, FindsTheCurveThatMadeTheTargets) {
  std::vector<double> z, targets;
  for (int i = -40; i <= 40; ++i) {
    z.push_back(i / 5.0);
    targets.push_back(1 / (1 + std::exp(-(0.7 * i / 5.0 - 1.5))));
  }
  for (const double start : {-12.0, 0.0, 6.0}) {
    double slope = 2, offset = start;
    fit_curve(z, targets, slope, offset);
    EXPECT_NEAR(slope, 0.7, 0.03) << start;
    EXPECT_NEAR(offset, -1.5, 0.1) << start;
  }
}

TEST(FitCurve, KeepsTheCurveRising) {
  const std::vector<double> z = {-2, -1, 0, 1, 2}, falling = {0.9, 0.7, 0.5, 0.3, 0.1};
  double slope = 1, offset = 0;
  fit_curve(z, falling, slope, offset);
  EXPECT_GT(slope, 0);
  EXPECT_NEAR(offset, 0, 0.1);
}

TEST(Reliability, ErrorIsTheMeanDistanceOfTheBins) {
  // Bin 0: probabilities 0.02 and 0.04, none positive; the last bin: 0.95 twice, one positive.
  const std::vector<float> p = {0.02F, 0.95F, 0.04F, 0.95F};
  const std::vector<int8_t> labels = {-1, 1, 0, -1};
  Reliability reliability;
  reliability.add({p.data(), 2, 2}, {labels.data(), 2, 2});
  EXPECT_NEAR(reliability.error(), (0.06 + 0.90) / 4, 1e-6);
  EXPECT_EQ(reliability.bins().front().entries, 2);
  EXPECT_EQ(reliability.bins().back().positives, 1);
}

TEST(Reliability, WhatIsNoNumberIsInTheFirstBin) {
  const std::vector<float> p = {std::nanf(""), -1, 2};
  const std::vector<int8_t> labels = {1, 0, 0};
  Reliability reliability;
  reliability.add({p.data(), 1, 3}, {labels.data(), 1, 3});
  EXPECT_EQ(reliability.bins().front().entries, 2);
  EXPECT_EQ(reliability.bins().back().entries, 1);
}

}  // namespace
}  // namespace spml
