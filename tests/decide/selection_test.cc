#include "decide/selection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace spml {
namespace {

TEST(ObservedCriterion, MeasuresRanksInRowsThatHaveTheLabel) {
  // One label, observed in rows 0 and 3 of 4, which stand first and third; two rows expected.
  const std::vector<float> scores = {4, 3, 1, 2};
  const std::vector<int8_t> labels = {1, 0, 0, 1};
  const std::vector<double> frequency = {0.25};
  const double value =
      observed_criterion({scores.data(), 4, 1}, {labels.data(), 4, 1}, frequency, 2, 1);
  EXPECT_DOUBLE_EQ(value, (1 / (1 + 0.5) + 1 / (1 + 1.5)) / 2);
}

TEST(ObservedCriterion, GivesRowsOfTheSameScoreTheirMeanRank) {
  const std::vector<float> scores = {1, 1, 1, 0};
  const std::vector<int8_t> labels = {1, 0, 0, 0};
  const std::vector<double> frequency = {0.25};
  const double value =
      observed_criterion({scores.data(), 4, 1}, {labels.data(), 4, 1}, frequency, 1, 1);
  EXPECT_DOUBLE_EQ(value, 1 / (1 + 2.0));
}

TEST(ObservedCriterion, LeavesOutLabelsThatWereNotObserved) {
  const std::vector<float> scores = {2, 0, 1, 5};
  const std::vector<int8_t> labels = {1, 0, 0, 0};
  const std::vector<double> frequency = {0.5, 0};
  const double value =
      observed_criterion({scores.data(), 2, 2}, {labels.data(), 2, 2}, frequency, 1, 2);
  EXPECT_DOUBLE_EQ(value, 0.5);
}

}  // namespace
}  // namespace spml
