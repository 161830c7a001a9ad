#include "decide/minimise.h"

#include <gtest/gtest.h>

namespace spml {
namespace {

TEST(Minimise, WalksDownRosenbrocksValley) {
  const auto rosenbrock = [](std::span<const double> x, std::span<double> g) {
    const double a = 1 - x[0], b = x[1] - x[0] * x[0];
    g[0] = -2 * a - 400 * x[0] * b;
    g[1] = 200 * b;
    return a * a + 100 * b * b;
  };
  std::vector<double> x = {-1.2, 1};
  EXPECT_LT(minimise(rosenbrock, x, {.iterations = 500, .tolerance = 1e-14}), 1e-8);
  EXPECT_NEAR(x[0], 1, 1e-3);
  EXPECT_NEAR(x[1], 1, 1e-3);
}

TEST(Minimise, StaysAtAMinimum) {
  const auto bowl = [](std::span<const double> x, std::span<double> g) {
    g[0] = 2 * x[0];
    return x[0] * x[0];
  };
  std::vector<double> x = {0};
  EXPECT_EQ(minimise(bowl, x), 0);
  EXPECT_EQ(x[0], 0);
}

}  // namespace
}  // namespace spml
