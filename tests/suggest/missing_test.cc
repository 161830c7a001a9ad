#include "suggest/missing.h"

#include <numeric>

#include "base/rng.h"
#include "suggest/answers.h"
#include "suggest/named_label.h"
#include "suggest/ranking.h"
#include "testing.h"

namespace spml {
namespace {

using testing::ElementsAre;

TEST(NamedLabel, HalvesTheOddsWhereNothingElseIsLikely) {
  std::vector<float> p = {0.9f, 0.5f, 0.0f};
  const std::vector<int8_t> known = {1, 0, 0};
  NamedLabel().condition(known, p);
  EXPECT_NEAR(p[1], 1.0 / 3, 1e-6);
  EXPECT_EQ(p[2], 0);
}

TEST(NamedLabel, LeavesARowAloneInWhichNothingWasNamed) {
  std::vector<float> p = {0.3f, 0.6f};
  const std::vector<int8_t> known = {0, -1};
  NamedLabel().condition(known, p);
  EXPECT_THAT(p, ElementsAre(0.3f, 0.6f));
}

// Over all 16 combinations of four labels, of which one is named and one is known to be absent.
TEST(NamedLabel, IsWhatCountingGives) {
  const std::vector<float> f = {0.7f, 0.4f, 0.8f, 0.5f, 0.1f};
  const std::vector<int8_t> known = {1, 0, 0, -1, 0};
  double named = 0, with[5] = {};
  for (unsigned set = 0; set < 32; ++set) {
    if ((set & 1) == 0 || (set & 8) != 0) continue;
    double chance = 1;
    int size = 0;
    for (size_t j = 0; j < 5; ++j) {
      const bool there = set >> j & 1;
      if (j != 3) chance *= there ? f[j] : 1 - f[j];
      size += there;
    }
    chance /= size;
    named += chance;
    for (size_t j = 0; j < 5; ++j) with[j] += set >> j & 1 ? chance : 0;
  }
  std::vector<float> p = f;
  NamedLabel().condition(known, p);
  for (const size_t j : {1, 2, 4}) EXPECT_NEAR(p[j], with[j] / named, 1e-6) << j;
}

class Ranking : public testing::Test {
 protected:
  const Matrix<float> p{3, 2, {0.9f, 0.2f, 0.55f, 0.9f, 0.1f, 0.4f}};
  const Matrix<int8_t> known{3, 2, {0, 0, 0, 0, 1, 0}};
  const std::vector<int32_t> rows = {4, 7, 9};

  std::vector<std::pair<int, int>> ranked(const RankingOptions& options) const {
    std::vector<std::pair<int, int>> list;
    for (const auto& one : rank_missing(p, known, rows, options))
      list.emplace_back(one.row, one.label);
    return list;
  }
};

TEST_F(Ranking, TheLikeliestFirstAndNothingThatIsKnown) {
  EXPECT_THAT(ranked({}), ElementsAre(std::pair(4, 0), std::pair(7, 1), std::pair(7, 0),
                                      std::pair(9, 1), std::pair(4, 1)));
}

TEST_F(Ranking, SoManyInAllOrOfEachClassOrFromAScoreOn) {
  EXPECT_THAT(ranked({.top = 2}), ElementsAre(std::pair(4, 0), std::pair(7, 1)));
  EXPECT_THAT(ranked({.per_class = 1}), ElementsAre(std::pair(4, 0), std::pair(7, 1)));
  EXPECT_THAT(ranked({.min_score = 0.5}),
              ElementsAre(std::pair(4, 0), std::pair(7, 1), std::pair(7, 0)));
  EXPECT_THAT(ranked({.top = 0}), ElementsAre());
}

TEST_F(Ranking, MoreThanCanBeCountedIsAll) {
  const Matrix<float> likely(40, 2, 0.5f);
  const Matrix<int8_t> unknown(40, 2);
  std::vector<int32_t> all(40);
  std::iota(all.begin(), all.end(), 0);
  const size_t most = 9223372036854775308u;  // twice as many and a thousand wrap around
  EXPECT_EQ(rank_missing(likely, unknown, all, {.top = most}).size(), 80u);
  EXPECT_EQ(rank_missing(likely, unknown, all, {.per_class = most}).size(), 80u);
}

TEST_F(Ranking, TheLeastCertainFirst) {
  EXPECT_THAT(ranked({.order = SuggestOrder::kUncertainty, .top = 2}),
              ElementsAre(std::pair(7, 0), std::pair(9, 1)));
}

TEST_F(Ranking, ARandomOrderDependsOnTheSeedAlone) {
  const auto first = ranked({.order = SuggestOrder::kRandom, .seed = 1});
  EXPECT_EQ(first, ranked({.order = SuggestOrder::kRandom, .seed = 1}));
  bool differs = false;
  for (uint64_t seed = 2; seed < 10; ++seed) {
    differs |= ranked({.order = SuggestOrder::kRandom, .seed = seed}) != first;
  }
  EXPECT_TRUE(differs);
}

TEST_F(Ranking, AnUnknownOrderIsNamed) {
  EXPECT_SPML_ERROR(suggest_order_from("scores"), testing::HasSubstr("'scores'"));
}

// Label 2 is always there beside label 0 and never beside label 1; scores say nothing of it.
class Answers : public testing::Test {
 protected:
  static constexpr size_t kRows = 400;

  Answers() {
    for (size_t i = 0; i < kRows; ++i) {
      known(i, i % 2) = 1;
      if (i >= 200) continue;  // not asked about
      known(i, 2) = i % 2 == 0 ? 1 : -1;
      scores(i, 2) = 0.2f;  // above the label named
    }
  }
  Matrix<int8_t> known{kRows, 3};
  Matrix<float> scores{kRows, 3, 0.1f};
};

TEST_F(Answers, TeachWhichLabelsOccurTogether) {
  Matrix<int8_t> before = known;
  for (size_t i = 0; i < kRows; ++i) before(i, 2) = 0;
  for (const View<const int8_t> remembered : {View<const int8_t>(before), View<const int8_t>()}) {
    const auto p = probabilities_by_answers({known, {}, scores, 1, remembered});
    ASSERT_TRUE(p);
    EXPECT_GT((*p)(200, 2), 0.9);
    EXPECT_LT((*p)(201, 2), 0.1);
    EXPECT_EQ((*p)(200, 0), 0);  // known
  }
}

TEST_F(Answers, OfOneKindTeachNothing) {
  for (int8_t& label : known.flat()) label = std::max<int8_t>(label, 0);
  EXPECT_FALSE(probabilities_by_answers({known, {}, scores, 1, {}}));
}

TEST(MissingProbabilities, AreNotFinishedWhereSomeoneAsksToStop) {
  const Matrix<int8_t> known(4, 2, {1, 0, 0, 1, 1, 0, 0, 1});
  const Matrix<float> logits(4, 2, {2, -1, -1, 2, 1, -2, -2, 1});
  const Evidence evidence{.known = known, .logits = logits, .left_out = {}, .between_parts = [] {
                            throw Error("stopped");
                          }};
  EXPECT_SPML_ERROR(missing_probabilities(evidence), testing::HasSubstr("stopped"));
}

TEST(MissingProbabilities, AddUpToWhatKLeavesToBeFound) {
  const size_t rows = 600, labels = 4;  // more than a block of rows
  Matrix<int8_t> known(rows, labels);
  Matrix<float> logits(rows, labels);
  for (size_t i = 0; i < rows; ++i) {
    known(i, i % labels) = 1;
    for (size_t j = 0; j < labels; ++j) {
      logits(i, j) = static_cast<float>((i * 7 + j * 5) % 11) / 2 - 3;
    }
    logits(i, i % labels) += 3;
  }
  const auto missing = [&](std::optional<double> k, bool is_guess, int threads = 1) {
    return missing_probabilities({known, logits, {}, threads, {}, {}, k, is_guess});
  };
  const auto sum = [](const Matrix<float>& p) {
    return std::accumulate(p.flat().begin(), p.flat().end(), 0.0);
  };
  const Matrix<float> free = missing({}, false);
  const double own = 1 + sum(free) / rows;  // labels of a row
  EXPECT_NEAR(sum(missing(1.2, false)), 0.2 * rows, 0.01);
  EXPECT_NEAR(sum(missing(3.1, false)), 2.1 * rows, 0.01);
  ASSERT_GT(own, 1.2);
  EXPECT_NEAR(sum(missing(1.2, true)), 0.2 * rows, 0.01);
  EXPECT_EQ(missing(own + 0.5, true), free);
  EXPECT_EQ(missing(1.2, false), missing(1.2, false, 3));
  const Matrix<float> few = missing(1.1, false);
  for (size_t i = 1; i < few.size(); ++i) {  // the order stays
    EXPECT_EQ(few.data()[i] < few.data()[i - 1], free.data()[i] < free.data()[i - 1]) << i;
    EXPECT_EQ(few.data()[i] == 0, free.data()[i] == 0) << i;
  }
  EXPECT_LT(sum(missing(1, false)), 1e-3);
}

TEST(MissingProbabilities, NeedScores) {
  const Matrix<int8_t> known(4, 2);
  EXPECT_SPML_ERROR(missing_probabilities({known, {}, {}, 1, {}}), testing::HasSubstr("scores"));
}

}  // namespace
}  // namespace spml
