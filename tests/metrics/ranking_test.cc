#include "spml/metrics.h"

#include <limits>

#include "metrics/matrices.h"
#include "testing.h"

namespace spml {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using AtCuts = std::array<double, 3>;

TEST(Ranking, OfOneRowTypedByHand) {
  // Ranked labels: 2 4 0 5 1 3; positives: 4, 5, 3.
  const Scored s{1, 6, {0.6F, 0.3F, 0.9F, 0.1F, 0.8F, 0.5F}, {0, 0, 0, 1, 1, 1}};
  const RankingResult r = ranking_metrics(s.scores(), s.truth());
  EXPECT_EQ(r.precision_at, (AtCuts{0, 1.0 / 3, 2.0 / 5}));
  EXPECT_EQ(r.recall_at, (AtCuts{0, 1.0 / 3, 2.0 / 3}));
  EXPECT_EQ(r.hit_at, (AtCuts{0, 1, 1}));
}

TEST(Ranking, PutsTheLowerIndexFirstAmongTies) {
  const Scored first{1, 7, std::vector<float>(7, 0.5F), {1, 0, 0, 0, 0, 0, 0}};
  EXPECT_EQ(ranking_metrics(first.scores(), first.truth()).hit_at, (AtCuts{1, 1, 1}));
  const Scored fourth{1, 7, std::vector<float>(7, 0.5F), {0, 0, 0, 1, 0, 0, 0}};
  EXPECT_EQ(ranking_metrics(fourth.scores(), fourth.truth()).hit_at, (AtCuts{0, 0, 1}));
  const Scored sixth{1, 7, std::vector<float>(7, 0.5F), {0, 0, 0, 0, 0, 1, 0}};
  EXPECT_EQ(ranking_metrics(sixth.scores(), sixth.truth()).hit_at, (AtCuts{0, 0, 0}));
}

TEST(Ranking, TakesACutBeyondLForL) {
  const Scored s{1, 2, {0.1F, 0.9F}, {1, 0}};
  const RankingResult r = ranking_metrics(s.scores(), s.truth());
  EXPECT_EQ(r.precision_at, (AtCuts{0, 0.5, 0.5}));
  EXPECT_EQ(r.recall_at, (AtCuts{0, 1, 1}));
}

TEST(Ranking, LeavesRowsWithoutPositivesOutOfRecallOnly) {
  const Scored s{2, 3, {0.9F, 0.2F, 0.1F, 0.9F, 0.2F, 0.1F}, {1, 0, 0, 0, 0, 0}};
  const RankingResult r = ranking_metrics(s.scores(), s.truth());
  EXPECT_EQ(r.precision_at, (AtCuts{0.5, 1.0 / 6, 1.0 / 6}));
  EXPECT_EQ(r.recall_at, (AtCuts{1, 1, 1}));
  EXPECT_EQ(r.hit_at, (AtCuts{0.5, 0.5, 0.5}));
}

TEST(Ranking, DoesNotDependOnThreads) {
  const Scored s = random_scored(5000, 12, 20, 4);
  const RankingResult one = ranking_metrics(s.scores(), s.truth(), 1);
  const RankingResult many = ranking_metrics(s.scores(), s.truth(), 7);
  EXPECT_EQ(one.precision_at, many.precision_at);
  EXPECT_EQ(one.recall_at, many.recall_at);
  EXPECT_EQ(one.hit_at, many.hit_at);
}

TEST(Ranking, NamesRowAndColumnOfAScoreThatIsNotFinite) {
  Scored s = random_scored(3, 4, 10, 3);
  s.score_values[1 * 4 + 3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_SPML_ERROR(ranking_metrics(s.scores(), s.truth()),
                    AllOf(HasSubstr("row 1"), HasSubstr("column 3")));
}

TEST(ExpectedPositives, IsTheMeanRowSum) {
  const std::vector<float> p{0.5F, 0.25F, 1.0F, 0.0F, 0.75F, 0.5F};
  EXPECT_DOUBLE_EQ(expected_positives({p.data(), 2, 3}), 1.5);
}

}  // namespace
}  // namespace spml
