#include "decide/naming.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace spml {
namespace {

double logistic(double z) { return 1 / (1 + std::exp(-z)); }

// P(observed = label) by going through all sets of labels.
double by_enumeration(const std::vector<double>& z, const std::vector<double>& log_weights,
                      size_t label) {
  double named = 0;
  for (size_t set = 1; set < (size_t{1} << z.size()); ++set) {
    if ((set >> label & 1) == 0) continue;
    double p = 1, weights = 0;
    for (size_t j = 0; j < z.size(); ++j) {
      const bool there = (set >> j & 1) != 0;
      p *= there ? logistic(z[j]) : logistic(-z[j]);
      if (there) weights += std::exp(log_weights[j]);
    }
    named += p * std::exp(log_weights[label]) / weights;
  }
  return named;
}

const std::vector<double> kLogits = {-2, 0.5, 3, -0.3, 6};

TEST(RowNaming, IsTheSumOverAllSetsOfLabels) {
  for (const double spread : {0.0, 0.7, 2.0}) {
    std::vector<double> log_weights = {-1, 0.5, 1, -2, 0.2}, q(5), gz(5), gw(5);
    for (double& w : log_weights) w *= spread;
    RowNaming row;
    row.set(kLogits, log_weights, {});
    row.observed_probabilities(q);
    double all = 0;
    for (size_t j = 0; j < q.size(); ++j) {
      const double expected = by_enumeration(kLogits, log_weights, j);
      EXPECT_NEAR(q[j] / expected, 1, 2e-4) << spread << " " << j;
      EXPECT_NEAR(row.log_likelihood(j, 1, gz, gw), std::log(expected), 2e-4);
      all += expected;
    }
    EXPECT_NEAR(std::accumulate(q.begin(), q.end(), 0.0), all, 2e-4);
  }
}

TEST(RowNaming, ItsGradientsAreThoseOfItsValue) {
  std::vector<double> z = kLogits, w = {-1, 0.5, 1, -2, 0.2}, gz(5), gw(5), ignored(5);
  const std::vector<int8_t> known = {0, 0, 1, -1, 0};
  RowNaming row;
  row.set(z, w, known);
  row.log_likelihood(1, 2, gz, gw);
  const auto value = [&] {
    RowNaming other;
    other.set(z, w, known);
    return 2 * other.log_likelihood(1, 1, ignored, ignored);
  };
  constexpr double kStep = 1e-4;
  for (size_t j = 0; j < z.size(); ++j) {
    for (auto [at, slope] : {std::pair{&z[j], gz[j]}, std::pair{&w[j], gw[j]}}) {
      const double before = *at;
      *at = before + kStep;
      const double more = value();
      *at = before - kStep;
      const double less = value();
      *at = before;
      EXPECT_NEAR((more - less) / (2 * kStep), slope, 2e-3) << j;
    }
  }
}

TEST(RowNaming, TheMeanOverSeveralLabelsIsThatOfEach) {
  const std::vector<double> w = {-1, 0.5, 1, -2, 0.2};
  const std::vector<int8_t> known = {1, 0, 1, -1, 1};
  std::vector<double> gz(5, 0.1), gw(5, -0.2), each_z = gz, each_w = gw;
  RowNaming row;
  row.set(kLogits, w, known);
  double expected = 0;
  for (const size_t j : {0u, 2u, 4u}) {
    expected += row.log_likelihood(j, 1.0 / 3, each_z, each_w) / 3;
  }
  EXPECT_NEAR(row.mean_log_likelihood(known, gz, gw), expected, 1e-12);
  for (size_t j = 0; j < w.size(); ++j) {
    EXPECT_NEAR(gz[j], each_z[j], 1e-12) << j;
    EXPECT_NEAR(gw[j], each_w[j], 1e-12) << j;
  }
}

TEST(RowNaming, IsFiniteForManyCertainLabelsOfVeryDifferentWeights) {
  std::vector<double> z(400, 30), w(400), q(400), gz(400), gw(400);
  for (size_t j = 0; j < w.size(); ++j) w[j] = 0.1 * static_cast<double>(j);
  RowNaming row;
  row.set(z, w, {});
  for (const size_t j : {0u, 200u, 399u}) {
    EXPECT_TRUE(std::isfinite(row.log_likelihood(j, 1, gz, gw)));
  }
  row.observed_probabilities(q);
  EXPECT_NEAR(q[399], 1 - std::exp(-0.1), 0.02);
}

}  // namespace
}  // namespace spml
