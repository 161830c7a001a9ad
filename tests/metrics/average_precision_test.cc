#include "spml/metrics.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/numpy_random.h"
#include "metrics/matrices.h"
#include "testing.h"

namespace spml {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

double ap(std::vector<float> scores, std::vector<int8_t> truth) {
  const size_t n = scores.size();
  const Scored s{n, 1, std::move(scores), std::move(truth)};
  return mean_average_precision(s.scores(), s.truth()).per_class_ap.at(0);
}

// The definition, word for word, in quadratic time.
double slow_ap(const Scored& s, size_t j) {
  double positives = 0, sum = 0;
  for (size_t i = 0; i < s.rows; ++i) positives += s.truth()(i, j) > 0;
  for (size_t i = 0; i < s.rows; ++i) {
    if (s.truth()(i, j) <= 0) continue;
    double tp = 0, predicted = 0;
    for (size_t h = 0; h < s.rows; ++h) {
      if (s.scores()(h, j) < s.scores()(i, j)) continue;
      ++predicted;
      tp += s.truth()(h, j) > 0;
    }
    sum += tp / predicted;
  }
  return positives > 0 ? sum / positives : 0;
}

TEST(AveragePrecision, AgreesWithScikitLearn) {
  const auto vectors = nlohmann::json::parse(read_file(reference_data() / "ap-vectors.json"));
  ASSERT_GT(vectors["cases"].size(), 5U);
  for (const auto& c : vectors["cases"]) {
    EXPECT_NEAR(ap(c["scores"], c["truth"]), c["ap"].get<double>(), 1e-9) << c["name"];
  }
}

TEST(AveragePrecision, OfRankingsTypedByHand) {
  EXPECT_DOUBLE_EQ(ap({0.9F, 0.8F, 0.7F}, {1, 0, 1}), (1.0 + 2.0 / 3) / 2);
  EXPECT_DOUBLE_EQ(ap({0.7F, 0.8F, 0.9F}, {1, 0, 0}), 1.0 / 3);
  EXPECT_DOUBLE_EQ(ap({-3.0F, -2.0F, 5.0F}, {0, 1, 1}), 1.0);
  EXPECT_DOUBLE_EQ(ap({-1e30F, 1e30F, 0.0F}, {1, 0, 1}), (1.0 / 2 + 2.0 / 3) / 2);
}

TEST(AveragePrecision, GroupsTies) {
  EXPECT_DOUBLE_EQ(ap({0.5F, 0.5F, 0.5F, 0.5F}, {0, 1, 0, 0}), 0.25);
  EXPECT_DOUBLE_EQ(ap({0.9F, 0.5F, 0.5F, 0.1F}, {1, 0, 1, 0}), (1.0 + 2.0 / 3) / 2);
}

TEST(AveragePrecision, TakesMinusZeroForZero) {
  EXPECT_DOUBLE_EQ(ap({0.0F, -0.0F}, {0, 1}), 0.5);
  EXPECT_DOUBLE_EQ(ap({-0.0F, 0.0F}, {0, 1}), 0.5);
}

TEST(AveragePrecision, TellsNeighbouringFloatsApart) {
  const float next = std::nextafter(0.5F, 1.0F);
  EXPECT_DOUBLE_EQ(ap({0.5F, next}, {0, 1}), 1.0);
  EXPECT_DOUBLE_EQ(ap({0.5F, next}, {1, 0}), 0.5);
}

TEST(AveragePrecision, FollowsTheDefinitionOnManyRows) {
  for (const uint64_t levels : {3, 100, 1 << 22}) {
    const Scored s = random_scored(1500, 3, levels, levels);
    const MapResult result = mean_average_precision(s.scores(), s.truth());
    for (size_t j = 0; j < s.cols; ++j) {
      EXPECT_NEAR(result.per_class_ap[j], slow_ap(s, j), 1e-12) << levels << " levels, class " << j;
    }
  }
}

TEST(AveragePrecision, DoesNotDependOnTheOrderOfRows) {
  const Scored s = random_scored(2000, 4, 50, 1);
  Scored shuffled = s;
  const std::vector<int32_t> order = NumpyRandom(7).permutation(s.rows);
  for (size_t i = 0; i < s.rows; ++i) {
    for (size_t j = 0; j < s.cols; ++j) {
      shuffled.score_values[i * s.cols + j] = s.scores()(order[i], j);
      shuffled.truth_values[i * s.cols + j] = s.truth()(order[i], j);
    }
  }
  EXPECT_EQ(mean_average_precision(s.scores(), s.truth()).per_class_ap,
            mean_average_precision(shuffled.scores(), shuffled.truth()).per_class_ap);
}

TEST(AveragePrecision, DoesNotDependOnThreads) {
  const Scored s = random_scored(700, 13, 1000, 2);
  const MapResult one = mean_average_precision(s.scores(), s.truth(), 1);
  for (const int threads : {2, 5, 40}) {
    const MapResult many = mean_average_precision(s.scores(), s.truth(), threads);
    EXPECT_EQ(many.per_class_ap, one.per_class_ap);
    EXPECT_EQ(many.map, one.map);
  }
}

TEST(MeanAveragePrecision, CountsAClassWithoutPositivesAsZero) {
  const Scored s{2, 2, {0.9F, 0.1F, 0.2F, 0.3F}, {1, 0, 0, 0}};
  const MapResult result = mean_average_precision(s.scores(), s.truth());
  EXPECT_DOUBLE_EQ(result.map, 50.0);
  EXPECT_DOUBLE_EQ(result.map_nonempty, 100.0);
  EXPECT_EQ(result.per_class_ap, (std::vector<double>{1, 0}));
  EXPECT_EQ(result.has_positive, (std::vector<uint8_t>{1, 0}));
}

TEST(MeanAveragePrecision, HasNoNonemptyMeanWithoutPositives) {
  const Scored s{1, 2, {0.9F, 0.1F}, {0, -1}};
  const MapResult result = mean_average_precision(s.scores(), s.truth());
  EXPECT_EQ(result.map, 0.0);
  EXPECT_TRUE(std::isnan(result.map_nonempty));
}

TEST(MeanAveragePrecision, NamesRowAndColumnOfAScoreThatIsNotFinite) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    Scored s = random_scored(9, 4, 10, 3);
    s.score_values[6 * 4 + 2] = bad;
    EXPECT_SPML_ERROR(mean_average_precision(s.scores(), s.truth(), 2),
                      AllOf(HasSubstr("row 6"), HasSubstr("column 2")));
  }
}

TEST(MeanAveragePrecision, RefusesShapesThatDiffer) {
  const Scored a = random_scored(4, 3, 10, 1), b = random_scored(3, 4, 10, 1);
  EXPECT_SPML_ERROR(mean_average_precision(a.scores(), b.truth()),
                    AllOf(HasSubstr("4 x 3"), HasSubstr("3 x 4")));
}

}  // namespace
}  // namespace spml
