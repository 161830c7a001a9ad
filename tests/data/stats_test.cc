#include "data/stats.h"

#include <cmath>

#include "data/estimate_k.h"
#include "testing.h"

namespace spml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Stats, CountsByHand) {
  DataPart part;
  part.truth = LabelMatrix({1, 1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1}, 4, 3);
  part.observed = LabelMatrix({1, 0, -1, 0, 0, 0, 1, -1, -1, 1, 0, 0}, 4, 3);
  const PartStats stats = part_stats(part);
  EXPECT_EQ(stats.rows, 4u);
  EXPECT_EQ(stats.labels, 3u);
  EXPECT_EQ(stats.truth->per_row.min, 0u);
  EXPECT_EQ(stats.truth->per_row.max, 3u);
  EXPECT_EQ(stats.truth->per_row.mean, 1.5);
  EXPECT_THAT(stats.truth->class_counts, ElementsAre(3, 2, 1));
  EXPECT_THAT(stats.truth->rows_by_count, ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(stats.observed_counts, ElementsAre(3, 0, 0));
  EXPECT_EQ(stats.observed.max, 3u);
  EXPECT_EQ(stats.observed.mean, 1.5);
  EXPECT_EQ(stats.rows_without_positive, 1u);
  EXPECT_FALSE(stats.observed_drawn);
}

TEST(Stats, WithoutTruthOrWithoutObserved) {
  DataPart part;
  part.observed = LabelMatrix({1, 0, 0, -1}, 2, 2);
  EXPECT_FALSE(part_stats(part).truth);
  EXPECT_THAT(part_stats(part).observed_counts, ElementsAre(1, 0));
  EXPECT_EQ(part_stats(part).rows_without_positive, 1u);
  part.observed = {};
  part.truth = LabelMatrix({1, 1, 0, 1}, 2, 2);
  EXPECT_TRUE(part_stats(part).observed_drawn);
  EXPECT_EQ(part_stats(part).observed.max, 1u);
}

TEST(Percentile, InterpolatesLikeNumPy) {
  const std::vector<double> x = {1, 2, 4, 8};
  EXPECT_DOUBLE_EQ(percentile(x, 0), 1);
  EXPECT_DOUBLE_EQ(percentile(x, 0.5), 3);
  EXPECT_DOUBLE_EQ(percentile(x, 0.95), 7.4);
  EXPECT_DOUBLE_EQ(percentile(x, 1), 8);
}

TEST(EstimateK, MatchesThePaperOnVoc) {
  const Path file = truth_file(shared_data() / "voc12", "train");
  SPML_NEED_SHARED(file);
  const KEstimate estimate = estimate_k(LabelMatrix(NpyArray(file)), {.threads = 2});
  EXPECT_NEAR(estimate.k, 1.46, 0.005);
  const auto rounded = [](double x) { return std::round(x * 10) / 10; };
  std::vector<double> bounds;
  for (const KInterval& interval : estimate.intervals) {
    bounds.push_back(rounded(interval.low));
    bounds.push_back(rounded(interval.high));
  }
  EXPECT_THAT(bounds, ElementsAre(1.0, 2.0, 1.1, 1.9, 1.2, 1.7));
}

TEST(EstimateK, SamplesWithoutReplacement) {
  const LabelMatrix truth({1, 0, 0, 1, 1, 0, 1, 1, 1}, 3, 3);
  const KEstimate estimate = estimate_k(truth, {.sizes = {1, 3}, .trials = 1000});
  EXPECT_EQ(estimate.k, 2);
  EXPECT_EQ(estimate.intervals[0].low, 1);
  EXPECT_EQ(estimate.intervals[0].high, 3);
  EXPECT_EQ(estimate.intervals[1].low, 2);  // all rows: always the mean
  EXPECT_EQ(estimate.intervals[1].high, 2);
  EXPECT_SPML_ERROR(estimate_k(truth, {.sizes = {4}}), HasSubstr("from 1 to its 3 rows, found 4"));
  EXPECT_SPML_ERROR(estimate_k(truth, {.sizes = {0}}), HasSubstr("found 0"));
}

TEST(EstimateK, IsBoundedByMemory) {
  const LabelMatrix truth(std::vector<int8_t>(1000, 1), 1000, 1);
  KOptions options{.sizes = {5}, .trials = 10'000, .threads = 2};
  // 4000 bytes of counts, two copies with 5 x 8 beside each, 80,000 for the means.
  EXPECT_NO_THROW(estimate_k(truth, options, MemoryBudget(92'080)));
  EXPECT_SPML_ERROR(estimate_k(truth, options, MemoryBudget(92'079)), HasSubstr("estimating k"));
  options.sizes = {};
  EXPECT_NO_THROW(estimate_k(truth, options, MemoryBudget(4000)));
}

TEST(EstimateK, DoesNotDependOnThreads) {
  std::vector<int8_t> labels;
  for (int i = 0; i < 400; ++i) labels.push_back(i * i % 7 < 3);
  const LabelMatrix truth(labels, 100, 4);
  const KEstimate one = estimate_k(truth, {.trials = 20001, .seed = 5});
  const KEstimate two = estimate_k(truth, {.trials = 20001, .seed = 5, .threads = 2});
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(one.intervals[i].low, two.intervals[i].low);
    EXPECT_EQ(one.intervals[i].high, two.intervals[i].high);
  }
}

}  // namespace
}  // namespace spml
