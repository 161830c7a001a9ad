#include "train/table_estimator.h"

#include <algorithm>
#include <cmath>

#include "testing.h"

namespace spml {
namespace {

TEST(TableEstimator, RowsNeverTouchedStay) {
  TableEstimator estimator(3, 2, {});
  const std::vector<float> start = {0.25f, 0.75f};
  for (size_t r = 0; r < 3; ++r) estimator.start_row(r, start);
  const std::vector<int32_t> rows = {1};
  std::vector<float> u(2), gradient = {1.0f, -1.0f}, p(4);
  for (int t = 0; t < 10; ++t) {
    estimator.fetch(rows, {u.data(), 1, 2});
    estimator.apply(rows, {gradient.data(), 1, 2});
  }
  estimator.probabilities(0, {p.data(), 2, 2});
  EXPECT_NEAR(p[0], 0.25, 1e-6);
  EXPECT_NEAR(p[1], 0.75, 1e-6);
  EXPECT_LT(p[2], 0.25);
  EXPECT_GT(p[3], 0.75);
}

TEST(TableEstimator, StartsAroundTheProbabilityGiven) {
  TableEstimator estimator(2, 300, {});
  const std::vector<int8_t> unknown(300, 0);
  estimator.start_row(0, unknown, 1, 0);
  estimator.start_row(1, unknown, 1, 0, 0.05);
  const auto undecided = estimator.table().start_row(0), shifted = estimator.table().start_row(1);
  for (size_t j = 0; j < 300; ++j) {
    EXPECT_NEAR(shifted[j], undecided[j] + std::log(0.05 / 0.95), 1e-5);
  }
}

TEST(TableEstimator, StartsWhereTheMethodSays) {
  TableEstimator estimator(1, 300, {});
  std::vector<int8_t> observed(300, 0);
  observed[0] = 1;
  observed[1] = -1;
  estimator.start_row(0, observed, 1, 0);
  std::vector<float> p(300);
  estimator.probabilities(0, {p.data(), 1, 300});
  EXPECT_NEAR(p[0], 0.995, 1e-6);
  EXPECT_NEAR(p[1], 0.005, 1e-6);
  const auto [low, high] = std::minmax_element(p.begin() + 2, p.end());
  EXPECT_GE(*low, 0.4f - 1e-6f);
  EXPECT_LE(*high, 0.6f + 1e-6f);
  EXPECT_LT(*low, 0.41f);
  EXPECT_GT(*high, 0.59f);
}

}  // namespace
}  // namespace spml
