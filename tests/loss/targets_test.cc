// Every instruction set that was compiled gives the same numbers.
#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <bit>
#include <cmath>

#include "batch.h"

namespace spml {
namespace {

template <class T>
Result<T> evaluate_on(int64_t target, const Loss& loss, const Batch& batch) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(target);
  auto result = batch.evaluate<T>(loss);
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return result;
}

TEST(LossTargets, AllAgree) {
  const int64_t supported = hwy::SupportedTargets() & HWY_TARGETS;
  ASSERT_GE(std::popcount(static_cast<uint64_t>(supported)), 1);
  for (const Case& c : all_cases()) {
    for (size_t L = 1; L <= 40; L += 3) {
      const Batch batch = Batch::random(3, L, L);
      const auto loss = c.make(L);
      const auto expected = batch.evaluate<double>(*loss);
      const double n = static_cast<double>(3 * L);
      for (int64_t rest = supported; rest != 0; rest &= rest - 1) {
        const int64_t target = rest & -rest;
        SCOPED_TRACE(describe(c) + " on " + hwy::TargetName(target));
        const auto precise = evaluate_on<double>(target, *loss, batch);
        const auto fast = evaluate_on<float>(target, *loss, batch);
        const double size = std::max(1.0, std::abs(expected.value));
        ASSERT_NEAR(expected.value, precise.value, 1e-13 * size);
        ASSERT_NEAR(expected.value, fast.value, 1e-6 * size);
        for (size_t i = 0; i < expected.dz.size(); ++i) {
          const double g = n * expected.dz[i], scale = std::max(1.0, std::abs(g));
          ASSERT_NEAR(g, n * precise.dz[i], 1e-13 * scale);
          ASSERT_NEAR(g, n * double{fast.dz[i]}, 1e-6 * scale);
        }
      }
    }
  }
}

}  // namespace
}  // namespace spml
