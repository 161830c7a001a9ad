// Lazy Adam against dense Adam, written plainly in double precision.
#include "train/lazy_adam.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "dense_adam.h"
#include "testing.h"

namespace spml {
namespace {

// Trains both on the same gradients, which depend on the values as ROLE's do, and gives the
// largest difference seen at any fetch and at the end. `scale` sets the size of the gradients.
double largest_difference(size_t rows, size_t columns, size_t batch, int steps, double scale) {
  AdamConfig config;
  config.lr = 1e-2;
  LazyAdamTable lazy(rows, columns, config);
  std::mt19937 random(5);
  std::vector<double> u;
  for (size_t r = 0; r < rows; ++r) {
    for (float& value : lazy.start_row(r)) {
      value = std::uniform_real_distribution<float>(-0.4f, 0.4f)(random);
      u.push_back(value);
    }
  }
  DenseAdam dense(config, u);

  std::vector<int32_t> order(rows);
  std::iota(order.begin(), order.end(), 0);
  std::vector<float> fetched(batch * columns), gradient(batch * columns);
  double worst = 0;
  size_t next = rows;
  for (int t = 0; t < steps; ++t) {
    if (next + batch > rows) {
      std::shuffle(order.begin(), order.end(), random);
      next = 0;
    }
    const std::span<const int32_t> batch_rows(order.data() + next, batch);
    next += batch;
    lazy.fetch(batch_rows, {fetched.data(), batch, columns});
    std::vector<double> dense_gradient(rows * columns);
    for (size_t b = 0; b < batch; ++b) {
      for (size_t j = 0; j < columns; ++j) {
        const size_t i = static_cast<size_t>(batch_rows[b]) * columns + j;
        const double exact = dense.values()[i];
        worst = std::max(worst, std::abs(exact - fetched[b * columns + j]));
        // A target that wanders, so that some entries have tiny gradients and some large ones.
        const double target = std::sin(0.01 * t + static_cast<double>(i));
        const double g = scale * (1 / (1 + std::exp(-exact)) - 0.5 - 0.5 * target);
        dense_gradient[i] = g;
        gradient[b * columns + j] = static_cast<float>(g);
      }
    }
    lazy.apply(batch_rows, {gradient.data(), batch, columns});
    dense.step(dense_gradient);
  }
  std::vector<float> values(columns);
  for (size_t r = 0; r < rows; ++r) {
    lazy.read_row(r, values);
    for (size_t j = 0; j < columns; ++j) {
      worst = std::max(worst, std::abs(dense.values()[r * columns + j] - values[j]));
    }
  }
  return worst;
}

TEST(LazyAdamTable, AgreesWithDenseAdamOverThreeEpochs) {
  EXPECT_LE(largest_difference(400, 20, 16, 75, 1e-3), 1e-4);
}

TEST(LazyAdamTable, AgreesWithDenseAdamAfterFiveThousandSteps) {
  EXPECT_LE(largest_difference(300, 9, 8, 5000, 1e-3), 1e-4);
}

TEST(LazyAdamTable, AgreesWhereEpsilonMatters) {
  // Gradients of 1e-7 and less: sqrt(v) is of the size of Adam's epsilon.
  EXPECT_LE(largest_difference(200, 20, 16, 300, 1e-7), 1e-4);
  EXPECT_LE(largest_difference(200, 20, 16, 300, 1e-9), 1e-4);
}

TEST(LazyAdamTable, AgreesWithLongGaps) {
  EXPECT_LE(largest_difference(8000, 3, 4, 4500, 1e-3), 1e-4);
}

TEST(DecaySums, EqualTheSumsTheyStandFor) {
  const AdamConfig config;
  DecaySums sums(config);
  for (const auto& [t, s] : {std::pair{1, 1}, {1, 300}, {50, 7}, {4000, 285}, {9000, 4000}}) {
    double s1 = 0, s2 = 0, s3 = 0;
    for (int j = 1; j <= s; ++j) {
      const double a = std::pow(0.9, j) / (1 - std::pow(0.9, t + j));
      const double c = std::sqrt((1 - std::pow(0.999, t + j)) / std::pow(0.999, j));
      s1 += a * c;
      s2 += a * c * c;
      s3 += a * c * c * c;
    }
    const auto steps = static_cast<uint64_t>(s);
    const auto found = sums.between(static_cast<uint64_t>(t), steps, sums.over(steps));
    EXPECT_NEAR(found.s1 / s1, 1, 1e-9) << t << " " << s;
    EXPECT_NEAR(found.center / (s2 / s1), 1, 1e-9) << t << " " << s;
    EXPECT_NEAR(found.variance, s3 / s1 - s2 * s2 / s1 / s1, 1e-9) << t << " " << s;
  }
}

}  // namespace
}  // namespace spml
