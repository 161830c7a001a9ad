// The lazy estimator against dense Adam, written plainly in double precision.
#include "train/estimator.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "testing.h"

namespace spml {
namespace {

class DenseAdam {
 public:
  DenseAdam(const AdamConfig& config, std::vector<double> start)
      : config_(config), u_(std::move(start)), m_(u_.size()), v_(u_.size()) {}

  void step(const std::vector<double>& gradient) {
    ++t_;
    const double c1 = 1 - std::pow(config_.beta1, t_), c2 = 1 - std::pow(config_.beta2, t_);
    for (size_t i = 0; i < u_.size(); ++i) {
      m_[i] = config_.beta1 * m_[i] + (1 - config_.beta1) * gradient[i];
      v_[i] = config_.beta2 * v_[i] + (1 - config_.beta2) * gradient[i] * gradient[i];
      u_[i] -= config_.lr * (m_[i] / c1) / (std::sqrt(v_[i] / c2) + config_.eps);
    }
  }
  const std::vector<double>& values() const { return u_; }

 private:
  AdamConfig config_;
  std::vector<double> u_, m_, v_;
  int t_ = 0;
};

// Trains both on the same gradients, which depend on the estimates as ROLE's do, and gives the
// largest difference seen at any fetch and at the end. `scale` sets the size of the gradients.
double largest_difference(size_t rows, size_t labels, size_t batch, int steps, double scale) {
  AdamConfig config;
  config.lr = 1e-2;
  LabelEstimator lazy(rows, labels, config);
  std::vector<int8_t> observed(labels, 0);
  observed[0] = 1;
  for (size_t r = 0; r < rows; ++r) lazy.start_row(r, observed, 7, r);
  const auto start = lazy.state().values;
  std::vector<double> u(rows * labels);
  for (size_t r = 0; r < rows; ++r) {
    for (size_t j = 0; j < labels; ++j) u[r * labels + j] = start[r * 3 * labels + j];
  }
  DenseAdam dense(config, u);

  std::mt19937 random(5);
  std::vector<int32_t> order(rows);
  std::iota(order.begin(), order.end(), 0);
  std::vector<float> logits(batch * labels), gradient(batch * labels);
  double worst = 0;
  size_t next = rows;
  for (int t = 0; t < steps; ++t) {
    if (next + batch > rows) {
      std::shuffle(order.begin(), order.end(), random);
      next = 0;
    }
    const std::span<const int32_t> batch_rows(order.data() + next, batch);
    next += batch;
    lazy.fetch(batch_rows, {logits.data(), batch, labels});
    std::vector<double> dense_gradient(rows * labels);
    for (size_t b = 0; b < batch; ++b) {
      for (size_t j = 0; j < labels; ++j) {
        const size_t i = static_cast<size_t>(batch_rows[b]) * labels + j;
        const double exact = dense.values()[i];
        worst = std::max(worst, std::abs(exact - logits[b * labels + j]));
        // A target that wanders, so that some entries have tiny gradients and some large ones.
        const double target = std::sin(0.01 * t + static_cast<double>(i));
        const double g = scale * (1 / (1 + std::exp(-exact)) - 0.5 - 0.5 * target);
        dense_gradient[i] = g;
        gradient[b * labels + j] = static_cast<float>(g);
      }
    }
    lazy.apply(batch_rows, {gradient.data(), batch, labels});
    dense.step(dense_gradient);
  }
  std::vector<float> probabilities(labels);
  for (size_t r = 0; r < rows; ++r) {
    lazy.probabilities(r, probabilities);
    for (size_t j = 0; j < labels; ++j) {
      const double exact = 1 / (1 + std::exp(-dense.values()[r * labels + j]));
      worst = std::max(worst, std::abs(exact - probabilities[j]));
    }
  }
  return worst;
}

TEST(LabelEstimator, AgreesWithDenseAdamOverThreeEpochs) {
  EXPECT_LE(largest_difference(400, 20, 16, 75, 1e-3), 1e-4);
}

TEST(LabelEstimator, AgreesWithDenseAdamAfterFiveThousandSteps) {
  EXPECT_LE(largest_difference(300, 9, 8, 5000, 1e-3), 1e-4);
}

TEST(LabelEstimator, AgreesWhereEpsilonMatters) {
  // Gradients of 1e-7 and less: sqrt(v) is of the size of Adam's epsilon.
  EXPECT_LE(largest_difference(200, 20, 16, 300, 1e-7), 1e-4);
  EXPECT_LE(largest_difference(200, 20, 16, 300, 1e-9), 1e-4);
}

TEST(LabelEstimator, AgreesWithLongGaps) {
  EXPECT_LE(largest_difference(8000, 3, 4, 4500, 1e-3), 1e-4);
}

TEST(LabelEstimator, RowsNeverTouchedStay) {
  LabelEstimator estimator(3, 2, {});
  const std::vector<float> start = {0.25f, 0.75f};
  for (size_t r = 0; r < 3; ++r) estimator.start_row(r, start);
  const std::vector<int32_t> rows = {1};
  std::vector<float> u(2), gradient = {1.0f, -1.0f}, p(2);
  for (int t = 0; t < 10; ++t) {
    estimator.fetch(rows, {u.data(), 1, 2});
    estimator.apply(rows, {gradient.data(), 1, 2});
  }
  estimator.probabilities(0, p);
  EXPECT_NEAR(p[0], 0.25, 1e-6);
  EXPECT_NEAR(p[1], 0.75, 1e-6);
  estimator.probabilities(1, p);
  EXPECT_LT(p[0], 0.25);
  EXPECT_GT(p[1], 0.75);
}

TEST(LabelEstimator, StartsWhereTheMethodSays) {
  LabelEstimator estimator(1, 300, {});
  std::vector<int8_t> observed(300, 0);
  observed[0] = 1;
  observed[1] = -1;
  estimator.start_row(0, observed, 1, 0);
  std::vector<float> p(300);
  estimator.probabilities(0, p);
  EXPECT_NEAR(p[0], 0.995, 1e-6);
  EXPECT_NEAR(p[1], 0.005, 1e-6);
  const auto [low, high] = std::minmax_element(p.begin() + 2, p.end());
  EXPECT_GE(*low, 0.4f - 1e-6f);
  EXPECT_LE(*high, 0.6f + 1e-6f);
  EXPECT_LT(*low, 0.41f);
  EXPECT_GT(*high, 0.59f);
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
