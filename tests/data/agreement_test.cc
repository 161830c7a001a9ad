#include "data/agreement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "data/observe.h"
#include "spml/error.h"

namespace spml {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(AgreementK, TwoRandomNamingsTellTheNumberOfLabels) {
  constexpr size_t kRows = 4000, kLabels = 12;
  CounterRng random(3, Stream::kTrials, 0);
  std::vector<int8_t> values(kRows * kLabels);
  double positives = 0;
  for (size_t i = 0; i < kRows; ++i) {  // one label, and each of the others with 10 %
    const size_t sure = random.below(kLabels);
    for (size_t j = 0; j < kLabels; ++j) {
      values[i * kLabels + j] = j == sure || random.uniform() < 0.1;
      positives += values[i * kLabels + j];
    }
  }
  const LabelMatrix truth(std::move(values), kRows, kLabels);
  const AgreementK told =
      agreement_k(draw_observed(truth, {.seed = 1}), draw_observed(truth, {.seed = 2}));
  EXPECT_EQ(told.rows, kRows);
  EXPECT_NEAR(told.k, positives / kRows, 0.1);
  EXPECT_LT(told.k_low, positives / kRows);
  EXPECT_GT(told.k_high, positives / kRows);
}

TEST(AgreementK, RowsWithoutOneLabelFromEachDoNotCount) {
  const LabelMatrix first({1, 0, 1, 0, 1, 1, 1, 0}, 4, 2), second({1, 0, 0, 1, 1, 0, 0, 0}, 4, 2);
  const AgreementK told = agreement_k(first, second);
  EXPECT_EQ(told.rows, 2u);
  EXPECT_EQ(told.agreements, 1u);
  EXPECT_EQ(told.k_high, 2);
  EXPECT_THAT(
      [&] {
        agreement_k(first, LabelMatrix({0, 0, 0, 0, 0, 0, 0, 0}, 4, 2));
      },
      ThrowsMessage<Error>(HasSubstr("found none")));
  EXPECT_THAT(
      [&] {
        agreement_k(first, LabelMatrix({1, 0}, 1, 2));
      },
      ThrowsMessage<Error>(HasSubstr("expected 4 x 2 labels")));
}

}  // namespace
}  // namespace spml
