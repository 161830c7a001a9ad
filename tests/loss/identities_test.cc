// The paper's losses are related; so are ours.
#include <gtest/gtest.h>

#include "batch.h"

namespace spml {
namespace {

Result<double> evaluate(const Batch& batch, std::string_view name, LossParameters params = {}) {
  return batch.evaluate<double>(
      *make_loss(name, {.labels = batch.L, .k = 2.0, .params = std::move(params)}));
}

TEST(LossIdentity, WanWithWeightOneIsAn) {
  const Batch batch = Batch::random(6, 11, 1);
  const auto wan = evaluate(batch, "wan", {{"gamma", 1}}), an = evaluate(batch, "an");
  EXPECT_EQ(wan.value, an.value);
  EXPECT_EQ(wan.dz, an.dz);
}

TEST(LossIdentity, WanWithOneLabelHasWeightOne) {
  const Batch batch = Batch::random(6, 1, 2);
  EXPECT_EQ(evaluate(batch, "wan").value, evaluate(batch, "an").value);
}

TEST(LossIdentity, AnLsWithoutSmoothingIsAn) {
  const Batch batch = Batch::random(6, 11, 3);
  const auto smoothed = evaluate(batch, "an-ls", {{"eps", 0}}), an = evaluate(batch, "an");
  EXPECT_EQ(smoothed.value, an.value);
  EXPECT_EQ(smoothed.dz, an.dz);
}

TEST(LossIdentity, IuWithAllNegativesObservedIsBce) {
  Batch batch = Batch::random(6, 11, 4);
  for (int8_t& o : batch.observed) o = o > 0 ? 1 : -1;
  const auto iu = evaluate(batch, "iu"), bce = evaluate(batch, "bce");
  EXPECT_EQ(iu.value, bce.value);
  EXPECT_EQ(iu.dz, bce.dz);
}

TEST(LossIdentity, WanSampledIsWanOnAverage) {
  Batch batch = Batch::random(4, 6, 5);
  for (int8_t& o : batch.observed) o = o > 0 ? 1 : 0;
  const auto wan = evaluate(batch, "wan");
  const size_t steps = 20000;
  double value = 0;
  std::vector<double> dz(batch.z.size());
  for (batch.step = 0; batch.step < steps; ++batch.step) {
    const auto sampled = evaluate(batch, "wan-sampled");
    value += sampled.value / steps;
    for (size_t i = 0; i < dz.size(); ++i) dz[i] += sampled.dz[i] / steps;
  }
  EXPECT_NEAR(value, wan.value, 0.01 * wan.value);
  for (size_t i = 0; i < dz.size(); ++i) EXPECT_NEAR(dz[i], wan.dz[i], 1e-3) << "entry " << i;
}

TEST(LossIdentity, WanSampledDependsOnSeedStepAndRowAlone) {
  Batch batch = Batch::random(8, 30, 6);
  const auto first = evaluate(batch, "wan-sampled");
  EXPECT_EQ(evaluate(batch, "wan-sampled").dz, first.dz);
  batch.step = 1;
  EXPECT_NE(evaluate(batch, "wan-sampled").dz, first.dz);
  batch.step = 0;
  batch.seed = 1;
  EXPECT_NE(evaluate(batch, "wan-sampled").dz, first.dz);
}

TEST(LossIdentity, RoleIsSymmetricInLogitsAndEstimates) {
  Batch batch = Batch::random(6, 11, 7);
  const auto role = evaluate(batch, "role", {{"positive_scale", 3}});
  std::swap(batch.z, batch.u);
  const auto swapped = evaluate(batch, "role", {{"positive_scale", 3}});
  EXPECT_NEAR(role.value, swapped.value, 1e-14);
  EXPECT_EQ(role.dz, swapped.du);
  EXPECT_EQ(role.du, swapped.dz);
}

TEST(LossIdentity, RoleAroundEprIsRole) {
  const Batch batch = Batch::random(6, 11, 9);
  const LossParameters params = {{"positive_scale", 3}, {"lambda", 2}, {"log_epsilon", 1e-3}};
  const auto role = evaluate(batch, "role", params), around = evaluate(batch, "role+epr", params);
  EXPECT_NEAR(role.value, around.value, 1e-14);
  EXPECT_EQ(role.du, around.du);
  for (size_t i = 0; i < role.dz.size(); ++i) EXPECT_NEAR(role.dz[i], around.dz[i], 1e-15) << i;
}

TEST(LossIdentity, FocalFamilyWithoutFocusIsAn) {
  const Batch batch = Batch::random(6, 11, 10);
  const auto an = evaluate(batch, "an");
  const auto expect_an = [&](std::string_view name, LossParameters params) {
    const auto result = evaluate(batch, name, std::move(params));
    EXPECT_NEAR(result.value, an.value, 1e-14) << name;
    for (size_t i = 0; i < an.dz.size(); ++i) EXPECT_NEAR(result.dz[i], an.dz[i], 1e-15) << name;
  };
  expect_an("focal", {{"gamma", 0}});
  expect_an("asl", {{"gamma_neg", 0}, {"clip", 0}});
  expect_an("asl", {{"gamma_neg", 0}, {"clip", 0}, {"detach", 0}});
  expect_an("splc", {{"gamma", 0}, {"margin", 0}, {"tau", 1}});
  expect_an("ll-r", {{"delta", 0}});
  expect_an("ll-ct", {{"delta", 0}});
}

TEST(LossIdentity, LogEpsilonOfZeroIsTheLimit) {
  const Batch batch = Batch::random(6, 11, 8);
  const auto exact = evaluate(batch, "an"), limit = evaluate(batch, "an", {{"log_epsilon", 1e-12}});
  EXPECT_NEAR(exact.value, limit.value, 1e-9);
}

}  // namespace
}  // namespace spml
