// For every registered loss: both gradients against central differences on the double
// instantiation, and float against double.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "batch.h"

namespace spml {
namespace {

class EveryLoss : public testing::TestWithParam<Case> {};

std::string test_name(const testing::TestParamInfo<Case>& info) {
  std::string text(info.param.info->name);
  for (char& c : text) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return text + "_" + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(Losses, EveryLoss, testing::ValuesIn(all_cases()), test_name);

// d value / d variables[i] with what is under a stop-gradient held fixed.
void expect_central_differences(const Loss& loss, Batch batch, std::vector<double> Batch::*which,
                                const std::vector<double>& gradient) {
  const double h = 1e-5;
  for (size_t i = 0; i < gradient.size(); ++i) {
    double& x = (batch.*which)[i];
    const double centre = x;
    x = centre + h;
    const double above = batch.evaluate<double>(loss, Batch::kValueOnly).value;
    x = centre - h;
    const double below = batch.evaluate<double>(loss, Batch::kValueOnly).value;
    x = centre;
    // Scaled by the number of entries: gradients of means are small.
    const double n = static_cast<double>(gradient.size());
    EXPECT_NEAR(n * gradient[i], n * (above - below) / (2 * h), 2e-7) << "entry " << i;
  }
}

TEST_P(EveryLoss, GradientOfLogitsIsTheDerivative) {
  SCOPED_TRACE(describe(GetParam()));
  Batch batch = Batch::random(3, 7, 11);
  const auto loss = GetParam().make(batch.L);
  const auto result = batch.evaluate<double>(*loss);
  batch.frozen_z = batch.z;
  batch.frozen_u = batch.u;
  expect_central_differences(*loss, batch, &Batch::z, result.dz);
}

TEST_P(EveryLoss, GradientOfEstimatesIsTheDerivative) {
  if (!GetParam().info->uses_estimates) return;
  SCOPED_TRACE(describe(GetParam()));
  Batch batch = Batch::random(3, 7, 12);
  const auto loss = GetParam().make(batch.L);
  const auto result = batch.evaluate<double>(*loss);
  batch.frozen_z = batch.z;
  batch.frozen_u = batch.u;
  expect_central_differences(*loss, batch, &Batch::u, result.du);
}

TEST_P(EveryLoss, FrozenValuesAreTheOnesUsed) {
  SCOPED_TRACE(describe(GetParam()));
  Batch batch = Batch::random(4, 9, 13);
  const auto loss = GetParam().make(batch.L);
  const auto plain = batch.evaluate<double>(*loss);
  batch.frozen_z = batch.z;
  batch.frozen_u = batch.u;
  const auto same = batch.evaluate<double>(*loss);
  EXPECT_EQ(plain.value, same.value);
  EXPECT_EQ(plain.dz, same.dz);
  EXPECT_EQ(plain.du, same.du);

  batch.frozen_u = Batch::random(4, 9, 14).u;
  const auto other = batch.evaluate<double>(*loss);
  EXPECT_EQ(GetParam().info->uses_estimates, plain.dz != other.dz);
  EXPECT_EQ(plain.du, other.du) << "the estimates' gradient does not see frozen estimates";
}

TEST_P(EveryLoss, FloatAgreesWithDouble) {
  SCOPED_TRACE(describe(GetParam()));
  for (const double spread : {0.1, 2.0, 20.0}) {
    for (size_t L = 1; L <= 40; ++L) {
      const Batch batch = Batch::random(5, L, 100 + L, spread);
      const auto loss = GetParam().make(L);
      const auto exact = batch.evaluate<double>(*loss);
      const auto fast = batch.evaluate<float>(*loss);
      const auto tolerance = [](double x) { return 1e-6 * std::max(1.0, std::abs(x)); };
      ASSERT_NEAR(exact.value, fast.value, tolerance(exact.value)) << "L " << L;
      const double n = static_cast<double>(5 * L);
      for (size_t i = 0; i < exact.dz.size(); ++i) {
        ASSERT_NEAR(n * exact.dz[i], n * double{fast.dz[i]}, tolerance(n * exact.dz[i]))
            << "L " << L << " entry " << i << " z " << batch.z[i];
        if (!GetParam().info->uses_estimates) continue;
        ASSERT_NEAR(n * exact.du[i], n * double{fast.du[i]}, tolerance(n * exact.du[i]))
            << "L " << L << " entry " << i << " u " << batch.u[i];
      }
    }
  }
}

template <class T>
void expect_finite(const Case& c, const Batch& batch) {
  const auto result = batch.evaluate<T>(*c.make(batch.L));
  EXPECT_TRUE(std::isfinite(result.value)) << result.value;
  for (const T x : result.dz) EXPECT_TRUE(std::isfinite(x)) << x;
  for (const T x : result.du) EXPECT_TRUE(std::isfinite(x)) << x;
}

TEST_P(EveryLoss, ExtremeLogitsStayFinite) {
  SCOPED_TRACE(describe(GetParam()));
  const std::vector<double> extremes = {-1e30, -1e4, -800, -104, -88, -1e-40, 0,
                                        1e-40, 88,   104,  800,  1e4, 1e30};
  Batch batch(3 * extremes.size(), extremes.size());
  for (size_t i = 0; i < batch.z.size(); ++i) {
    batch.z[i] = extremes[i % extremes.size()];
    batch.u[i] = extremes[(i / extremes.size()) % extremes.size()];
    batch.observed[i] = static_cast<int8_t>(static_cast<int>(i / batch.L / extremes.size()) - 1);
  }
  expect_finite<float>(GetParam(), batch);
  expect_finite<double>(GetParam(), batch);
}

TEST_P(EveryLoss, ValueIsTheSameWithoutGradients) {
  SCOPED_TRACE(describe(GetParam()));
  const Batch batch = Batch::random(4, 19, 15);
  const auto loss = GetParam().make(batch.L);
  const auto with = batch.evaluate<float>(*loss);
  const auto without = batch.evaluate<float>(*loss, Batch::kValueOnly);
  EXPECT_EQ(with.value, without.value);
  EXPECT_THAT(without.dz, testing::Each(123.f)) << "an unwanted gradient was written";
  EXPECT_THAT(with.dz, testing::Not(testing::Contains(123.f)));
}

}  // namespace
}  // namespace spml
