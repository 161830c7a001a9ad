#include <algorithm>
#include <cmath>

#include "metrics/matrices.h"
#include "spml/metrics.h"
#include "testing.h"

namespace spml {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

float tuned(std::vector<float> scores, std::vector<int8_t> truth) {
  const size_t n = scores.size();
  const Scored s{n, 1, std::move(scores), std::move(truth)};
  return tune_thresholds(s.scores(), s.truth()).at(0);
}

TEST(F1, OfPredictionsCountedByHand) {
  // Class 0: tp 1, fp 1, fn 1 -> 1/2. Class 1: tp 2, fp 0, fn 1 -> 4/5. Together 6/9.
  const Scored s{4, 2, {0.9F, 0.9F, 0.6F, 0.8F, 0.4F, 0.1F, 0.2F, 0.3F}, {1, 1, 0, 1, 1, 0, 0, 1}};
  const F1Result r = f1_scores(s.scores(), s.truth(), {0.5F, 0.5F});
  EXPECT_DOUBLE_EQ(r.macro, (1.0 / 2 + 4.0 / 5) / 2);
  EXPECT_DOUBLE_EQ(r.micro, 6.0 / 9);
}

TEST(F1, PredictsAScoreEqualToTheThreshold) {
  const Scored s{1, 1, {0.5F}, {1}};
  EXPECT_EQ(f1_scores(s.scores(), s.truth(), {0.5F}).micro, 1.0);
  EXPECT_EQ(f1_scores(s.scores(), s.truth(), {std::nextafter(0.5F, 1.0F)}).micro, 0.0);
}

TEST(F1, CountsAClassWithNeitherPositiveNorPredictionAsZero) {
  const Scored s{1, 2, {0.9F, 0.1F}, {1, 0}};
  const F1Result r = f1_scores(s.scores(), s.truth(), {0.5F, 0.5F});
  EXPECT_EQ(r.macro, 0.5);
  EXPECT_EQ(r.micro, 1.0);
}

TEST(F1, RefusesAnotherNumberOfThresholds) {
  const Scored s = random_scored(2, 3, 10, 1);
  EXPECT_SPML_ERROR(f1_scores(s.scores(), s.truth(), {0.5F}),
                    AllOf(HasSubstr("expected 3"), HasSubstr("found 1")));
}

TEST(TuneThresholds, CutsHalfwayToTheNextLowerScore) {
  EXPECT_EQ(tuned({0.75F, 0.25F}, {1, 0}), 0.5F);
  EXPECT_EQ(tuned({0.75F, 0.25F, 0.125F}, {1, 1, 0}), 0.1875F);
}

TEST(TuneThresholds, UsesTheLowestScoreItselfWhenAllArePredicted) {
  EXPECT_EQ(tuned({0.75F, 0.25F}, {1, 1}), 0.25F);
}

TEST(TuneThresholds, TakesTheHighestAmongEquals) {
  // Cuts after the first and after the fourth score both give F1 = 2/3.
  EXPECT_EQ(tuned({0.875F, 0.625F, 0.5F, 0.25F}, {1, 0, 0, 1}), 0.75F);
}

TEST(TuneThresholds, SeparatesNeighbouringFloats) {
  const float next = std::nextafter(0.5F, 1.0F);
  EXPECT_EQ(tuned({next, 0.5F}, {1, 0}), next);
}

TEST(TuneThresholds, IsOneHalfForAClassWithoutPositives) {
  EXPECT_EQ(tuned({0.9F, 0.8F}, {0, 0}), 0.5F);
}

TEST(TuneThresholds, BeatsEveryOtherThreshold) {
  for (const uint64_t levels : {4, 30, 100000}) {
    const Scored s = random_scored(300, 1, levels, levels);
    const std::vector<float> best = tune_thresholds(s.scores(), s.truth());
    const double best_f1 = f1_scores(s.scores(), s.truth(), best).micro;
    double found = 0;
    for (const float candidate : s.score_values) {
      found = std::max(found, f1_scores(s.scores(), s.truth(), {candidate}).micro);
    }
    EXPECT_EQ(best_f1, found) << levels << " levels";
  }
}

TEST(TuneThresholds, DoesNotDependOnThreads) {
  const Scored s = random_scored(400, 9, 1000, 6);
  EXPECT_EQ(tune_thresholds(s.scores(), s.truth(), 1), tune_thresholds(s.scores(), s.truth(), 4));
}

}  // namespace
}  // namespace spml
