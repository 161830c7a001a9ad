// Every registered loss against autograd, in the precision that trains and in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "loss/batch.h"
#include "torch_oracle.h"

namespace spml {
namespace {

// What wan-sampled draws: the unknown labels that have a gradient, one for each row that has any.
std::vector<double> sampled_negatives(const Batch& batch) {
  const auto loss = make_loss("wan-sampled", {.labels = batch.L, .k = {}, .params = {}});
  const std::vector<double> dz = batch.evaluate<double>(*loss).dz;
  std::vector<double> sampled(dz.size());
  for (size_t i = 0; i < batch.B; ++i) {
    int drawn = 0, unknown = 0;
    for (size_t j = i * batch.L; j < (i + 1) * batch.L; ++j) {
      sampled[j] = batch.observed[j] == 0 && dz[j] != 0;
      drawn += sampled[j] > 0;
      unknown += batch.observed[j] == 0;
    }
    EXPECT_EQ(drawn, std::min(unknown, 1)) << "row " << i;
  }
  return sampled;
}

template <class T>
void expect_near(const OracleResult& expected, const Result<T>& found, bool has_estimates,
                 double tolerance) {
  const double n = static_cast<double>(expected.dz.size());
  const auto near = [&](double a, double b) {
    return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(a));
  };
  EXPECT_PRED2(near, expected.value, found.value);
  for (size_t i = 0; i < expected.dz.size(); ++i) {
    EXPECT_PRED2(near, n * expected.dz[i], n * double{found.dz[i]}) << "dz, entry " << i;
    if (!has_estimates) continue;
    EXPECT_PRED2(near, n * expected.du[i], n * double{found.du[i]}) << "du, entry " << i;
  }
}

TEST(TorchOracle, AgreesForEveryRegisteredLoss) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(describe(c));
    for (const size_t L : {1, 3, 20, 37}) {
      const Batch batch = Batch::random(6, L, 1000 + L);
      const auto loss = c.make(L);
      const auto precise = batch.evaluate<double>(*loss);

      OracleInput input;
      input.B = 6;
      input.L = static_cast<int64_t>(L);
      input.z = batch.z;
      input.u = batch.u;
      input.observed.assign(batch.observed.begin(), batch.observed.end());
      input.sampled = sampled_negatives(batch);
      input.soft = batch.soft;
      input.priors = batch.priors;
      input.shares = batch.shares;
      const LossSetup setup = c.setup(L);
      input.k = *setup.k;
      input.epoch = batch.epoch;
      input.epochs = batch.epochs;
      input.params = resolve_parameters(*c.info, setup);

      const auto expected = torch_oracle(c.info->name, input);
      ASSERT_TRUE(expected) << "write the loss down in torch_oracle.cc";
      expect_near(*expected, precise, c.info->uses_estimates, 1e-10);
      expect_near(*expected, batch.evaluate<float>(*loss), c.info->uses_estimates, 1e-5);
    }
  }
}

}  // namespace
}  // namespace spml
