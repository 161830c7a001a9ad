#include "decide/observation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spml {
namespace {

double sigmoid(double z) { return 1 / (1 + std::exp(-z)); }

// P(observed = label) by going through all sets of labels.
double by_enumeration(const std::vector<double>& z, size_t label, bool never_empty) {
  double named = 0, some = 0;
  for (size_t set = 1; set < (size_t{1} << z.size()); ++set) {
    double p = 1;
    int count = 0;
    for (size_t j = 0; j < z.size(); ++j) {
      const bool there = (set >> j & 1) != 0;
      p *= there ? sigmoid(z[j]) : sigmoid(-z[j]);
      count += there;
    }
    some += p;
    if ((set >> label & 1) != 0) named += p / count;
  }
  return never_empty ? named / some : named;
}

TEST(RowObservation, IsTheSumOverAllSetsOfLabels) {
  const std::vector<double> z = {-2, 0.5, 3, -0.3, 1.2};
  for (const bool never_empty : {false, true}) {
    RowObservation row(never_empty);
    row.set(z, {});
    std::vector<double> gradient(z.size()), q(z.size());
    row.observed_probabilities(q);
    for (size_t j = 0; j < z.size(); ++j) {
      const double expected = by_enumeration(z, j, never_empty);
      EXPECT_NEAR(q[j], expected, 1e-9);
      EXPECT_NEAR(std::exp(row.log_likelihood(j, 1, gradient)), expected, 1e-9);
    }
    if (never_empty) {
      EXPECT_NEAR(std::accumulate(q.begin(), q.end(), 0.0), 1, 1e-9);
    }
  }
}

TEST(RowObservation, IsTheSumOverAllSetsOfUnlikelyLabelsToo) {
  const std::vector<double> z = {-4, -3.5, 2, -5, -3};
  RowObservation row(true);
  row.set(z, {});
  std::vector<double> gradient(z.size()), q(z.size());
  row.observed_probabilities(q);
  for (size_t j = 0; j < z.size(); ++j) {
    const double expected = by_enumeration(z, j, true);
    EXPECT_NEAR(q[j] / expected, 1, 2e-4);
    EXPECT_NEAR(std::exp(row.log_likelihood(j, 1, gradient)) / expected, 1, 2e-4);
  }
}

TEST(RowObservation, CertainLabelsShareTheObservation) {
  for (const size_t count : {1, 2, 30, 300}) {
    std::vector<double> z(count + 5, -40), q(count + 5);
    std::fill_n(z.begin(), count, 30);
    RowObservation row(true);
    row.set(z, {});
    row.observed_probabilities(q);
    EXPECT_NEAR(q[0] * static_cast<double>(count), 1, 1e-4) << count;
  }
}

TEST(RowObservation, AKnownNegativeTakesNoPart) {
  RowObservation with(true), without(true);
  with.set(std::vector<double>{1, 0, 2}, std::vector<int8_t>{0, 1, -1});
  without.set(std::vector<double>{1, 0}, {});
  std::vector<double> three(3), two(2);
  EXPECT_DOUBLE_EQ(with.log_likelihood(1, 1, three), without.log_likelihood(1, 1, two));
  EXPECT_EQ(three[2], 0);
  EXPECT_DOUBLE_EQ(three[0], two[0]);
}

TEST(RowObservation, GradientsAgreeWithFiniteDifferences) {
  const std::vector<double> z = {-2, 0.5, 3, -0.3, -4};
  constexpr double kStep = 1e-5;
  for (const bool never_empty : {false, true}) {
    RowObservation row(never_empty);
    const auto value = [&](int what, const std::vector<double>& at, std::span<double> gradient) {
      row.set(at, {});
      if (what == 0) return row.log_likelihood(1, 1, gradient);
      if (what == 1) return row.log_empty(1, gradient);
      if (what == 2) return row.log_some(1, gradient);
      return row.expected(1, gradient);
    };
    for (int what = 0; what < 4; ++what) {
      std::vector<double> gradient(z.size()), ignored(z.size());
      value(what, z, gradient);
      for (size_t j = 0; j < z.size(); ++j) {
        std::vector<double> up = z, down = z;
        up[j] += kStep;
        down[j] -= kStep;
        const double slope = (value(what, up, ignored) - value(what, down, ignored)) / (2 * kStep);
        EXPECT_NEAR(gradient[j], slope, 1e-7) << what << " " << j << " " << never_empty;
      }
    }
  }
}

TEST(RowObservation, StaysFiniteWhereNothingIsLikely) {
  RowObservation row(true);
  std::vector<double> z(20, -60), gradient(20);
  row.set(z, {});
  EXPECT_NEAR(row.log_likelihood(3, 1, gradient), -std::log(20), 1e-3);
  EXPECT_NEAR(row.expected(1, gradient), 1, 1e-6);
}

TEST(RowObservation, OfSeveralLabelsIsTheMeanOverEach) {
  const std::vector<double> z = {-2, 0.5, 3, -0.3, -4, -5, 1.2};
  for (const std::vector<int8_t>& labels :
       {std::vector<int8_t>{1, 0, 1, -1, 1, 0, 1}, {0, 0, 1, -1, 0, 0, 0}, {1, 1, 1, 1, 1, 1, 1}}) {
    for (const bool never_empty : {false, true}) {
      RowObservation row(never_empty);
      row.set(z, labels);
      std::vector<double> gradient(z.size()), expected(z.size());
      const auto count = static_cast<double>(std::count(labels.begin(), labels.end(), 1));
      double value = 0;
      for (size_t j = 0; j < z.size(); ++j) {
        if (labels[j] > 0) value += row.log_likelihood(j, 1 / count, expected) / count;
      }
      const double mean = row.mean_log_likelihood(labels, gradient);
      EXPECT_NEAR(mean, value, 1e-12);
      for (size_t j = 0; j < z.size(); ++j) EXPECT_NEAR(gradient[j], expected[j], 1e-12) << j;
      if (count > 1) continue;
      EXPECT_EQ(mean, value);
      EXPECT_EQ(gradient, expected);
    }
  }
}

}  // namespace
}  // namespace spml
