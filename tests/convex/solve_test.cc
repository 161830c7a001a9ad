#include "convex/solve.h"

#include <cmath>
#include <numeric>

#include "base/fail.h"
#include "base/rng.h"
#include "spml/matrix.h"
#include "testing.h"

namespace spml {
namespace {

// Noise, and labels that a hidden direction makes likely; each entry with a weight of its own.
class Convex : public testing::TestWithParam<MarginLoss> {
 protected:
  static constexpr size_t kRows = 90, kColumns = 7, kLabels = 4;

  Convex() {
    CounterRng rng(3, Stream::kSynthetic);
    std::vector<float> values(kRows * kColumns);
    for (float& value : values) value = static_cast<float>(rng.normal());
    for (size_t j = 0; j < kLabels; ++j) {
      for (size_t i = 0; i < kRows; ++i) {
        const double z = 2 * values[i * kColumns + j] + rng.normal() - 1;
        targets(j, i) = z > 0;
        if (rng.below(6) == 0) targets(j, i) = static_cast<float>(rng.uniform());
        weights(j, i) = static_cast<float>(rng.uniform() + 0.1);
      }
    }
    features = FeatureMatrix(std::move(values), kRows, kColumns);
  }

  DenseProducts products(int threads = 1) const {
    std::vector<int32_t> rows(kRows);
    std::iota(rows.begin(), rows.end(), 0);
    return {features, {}, rows, threads};
  }
  ConvexProblem problem(double strength) const {
    ConvexProblem problem;
    problem.loss = GetParam();
    problem.targets = targets;
    problem.weights = weights;
    problem.strength = strength;
    problem.bias_penalty = 1;
    problem.tolerance = 1e-5;
    return problem;
  }
  // The objective, as its definition says.
  double objective(const ConvexProblem& problem, const LinearFit& fit, size_t j) const {
    double sum = problem.bias_penalty * fit.bias[j] * fit.bias[j] / 2;
    for (size_t c = 0; c < kColumns; ++c) sum += std::pow(fit.weight[j * kColumns + c], 2) / 2;
    for (size_t i = 0; i < kRows; ++i) {
      double z = fit.bias[j];
      for (size_t c = 0; c < kColumns; ++c) {
        z += double{fit.weight[j * kColumns + c]} * features.floats()(i, c);
      }
      const double q = targets(j, i);
      const double loss =
          problem.loss == MarginLoss::kLogistic
              ? -q * std::log(1 / (1 + std::exp(-z))) - (1 - q) * std::log(1 / (1 + std::exp(z)))
              : q * std::pow(std::max(0.0, 1 - z), 2) + (1 - q) * std::pow(std::max(0.0, 1 + z), 2);
      sum += problem.strength * (problem.weights.empty() ? 1 : weights(j, i)) * loss;
    }
    return sum;
  }

  FeatureMatrix features;
  Matrix<float> targets{kLabels, kRows}, weights{kLabels, kRows};
};
INSTANTIATE_TEST_SUITE_P(Losses, Convex,
                         testing::Values(MarginLoss::kLogistic, MarginLoss::kSquaredHinge));

TEST_P(Convex, NothingNearIsBetter) {
  for (const double strength : {0.01, 1.0, 100.0}) {
    const ConvexProblem stated = problem(strength);
    const ConvexResult found = solve_convex(products(), stated);
    for (size_t j = 0; j < kLabels; ++j) {
      const double best = objective(stated, found.fit, j);
      EXPECT_NEAR(found.objective[j], best, 1e-5 * best);
      EXPECT_LE(found.gradient[j], 1e-5);
      for (size_t c = 0; c <= kColumns; ++c) {
        for (const float step : {-0.01f, 0.01f}) {
          LinearFit moved = found.fit;
          (c < kColumns ? moved.weight[j * kColumns + c] : moved.bias[j]) += step;
          EXPECT_GT(objective(stated, moved, j), best) << strength << " " << j << " " << c;
        }
      }
    }
  }
}

// Gradient descent on the definition, with slopes by differences: slow, but nothing is shared.
TEST_P(Convex, AgreesWithPlainDescent) {
  ConvexProblem stated = problem(0.1);
  const LinearFit found = solve_convex(products(), stated).fit;
  LinearFit walked{std::vector<float>(kLabels * kColumns), std::vector<float>(kLabels)};
  std::vector<double> at(kColumns + 1);
  const auto fit_at = [&](const std::vector<double>& x) {
    for (size_t c = 0; c < kColumns; ++c) walked.weight[c] = static_cast<float>(x[c]);
    walked.bias[0] = static_cast<float>(x[kColumns]);
    return objective(stated, walked, 0);
  };
  for (int step = 0; step < 300; ++step) {
    std::vector<double> next = at;
    for (size_t c = 0; c <= kColumns; ++c) {
      std::vector<double> above = at, below = at;
      above[c] += 1e-2;
      below[c] -= 1e-2;
      next[c] -= 0.06 * (fit_at(above) - fit_at(below)) / 2e-2;
    }
    at = next;
  }
  for (size_t c = 0; c < kColumns; ++c) EXPECT_NEAR(found.weight[c], at[c], 2e-4) << c;
  EXPECT_NEAR(found.bias[0], at[kColumns], 2e-4);
}

TEST_P(Convex, AWarmStartEndsWhereAColdOneDoes) {
  const LinearFit weaker = solve_convex(products(), problem(0.1)).fit;
  const ConvexResult cold = solve_convex(products(), problem(1));
  const ConvexResult warm = solve_convex(products(), problem(1), weaker);
  const ConvexResult again = solve_convex(products(), problem(1), cold.fit);
  for (size_t t = 0; t < cold.fit.weight.size(); ++t) {
    EXPECT_NEAR(warm.fit.weight[t], cold.fit.weight[t], 1e-4);
  }
  EXPECT_LE(again.iterations, 1);
}

TEST_P(Convex, TheNumberOfThreadsChangesNothing) {
  ConvexProblem three = problem(1);
  three.threads = 3;
  const LinearFit one = solve_convex(products(1), problem(1)).fit;
  const LinearFit other = solve_convex(products(3), three).fit;
  EXPECT_EQ(one.weight, other.weight);
  EXPECT_EQ(one.bias, other.bias);
}

TEST_P(Convex, AWeightOfTwoCountsAsTwoRows) {
  ConvexProblem twice = problem(1), doubled = problem(2);
  Matrix<float> heavier = weights;
  for (float& weight : heavier.flat()) weight *= 2;
  twice.weights = heavier;
  EXPECT_EQ(solve_convex(products(), twice).fit.weight,
            solve_convex(products(), doubled).fit.weight);
}

TEST_P(Convex, SaysWhatDoesNotFit) {
  ConvexProblem short_of = problem(1);
  short_of.targets.cols -= 1;
  EXPECT_SPML_ERROR(solve_convex(products(), short_of), testing::HasSubstr("90 rows"));
  EXPECT_SPML_ERROR(solve_convex(products(), problem(1), {{1}, {1}}),
                    testing::HasSubstr("start from"));
}

TEST_P(Convex, CanBeStopped) {
  ConvexProblem stopped = problem(1);
  stopped.between_parts = [] { fail("stopped"); };
  EXPECT_SPML_ERROR(solve_convex(products(), stopped), testing::HasSubstr("stopped"));
}

// scikit-learn 1.2.1 with tol 1e-12 on these eight rows: LogisticRegression(C=2), whose bias has no
// penalty, and LinearSVC(C=0.5, dual=False), whose bias has one.
TEST(KnownOptima, AreThoseOfScikitLearn) {
  const FeatureMatrix features(
      {0.5F, -1.2F, 0.3F,  1.5F,  0.2F,  -0.7F, -0.3F, 0.8F, 1.1F, -1.1F, -0.4F, 0.6F,
       0.9F, 1.3F,  -0.2F, -0.6F, -0.9F, -1.4F, 0.1F,  0.4F, 0.2F, 2.0F,  -0.5F, 0.8F},
      8, 3);
  const Matrix<float> targets(2, 8, {1, 1, 0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 1, 0});
  const std::vector<int32_t> rows = {0, 1, 2, 3, 4, 5, 6, 7};
  const DenseProducts products(features, {}, rows, 1);
  ConvexProblem problem;
  problem.targets = targets;
  problem.tolerance = 1e-6;
  const auto expect = [&](const std::vector<double>& weight, const std::vector<double>& bias) {
    const LinearFit found = solve_convex(products, problem).fit;
    for (size_t t = 0; t < weight.size(); ++t) EXPECT_NEAR(found.weight[t], weight[t], 2e-5);
    for (size_t j = 0; j < bias.size(); ++j) EXPECT_NEAR(found.bias[j], bias[j], 2e-5);
  };
  problem.strength = 2;
  expect({1.84474694, -0.23217427, -0.08199484, -0.80768109, -0.17651505, -1.22493411},
         {-0.61434233, 0.47146297});
  problem.loss = MarginLoss::kSquaredHinge;
  problem.strength = 0.5;
  problem.bias_penalty = 1;
  expect({0.9974188, -0.17389858, -0.00471698, -0.40870016, -0.10480224, -0.69761738},
         {-0.25481531, 0.23944362});
}

}  // namespace
}  // namespace spml
