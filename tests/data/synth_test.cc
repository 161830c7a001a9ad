#include "data/synth.h"

#include <algorithm>
#include <cmath>

#include "data/dataset.h"
#include "data/stats.h"
#include "testing.h"

namespace spml {
namespace {

using testing::HasSubstr;

TEST(Synth, WritesALegalFolder) {
  TemporaryFolder folder;
  write_synthetic(folder.path(), {.rows = 2001, .labels = 12, .features = 9, .seed = 1});
  const Dataset data = open_dataset(folder.path(), {.need_features = true});
  EXPECT_EQ(data.train_file.rows(), 2001u);
  EXPECT_EQ(data.test.rows(), 1000u);
  EXPECT_EQ(data.labels(), 12u);
  EXPECT_EQ(data.expected_positives, 1.5);
  const auto features = data.train_file.features.floats().flat();
  EXPECT_GE(*std::ranges::min_element(features), 0.0f);
  const PartStats stats = part_stats(data.train_file);
  EXPECT_NEAR(stats.truth->per_row.mean, 1.5, 0.06);
  EXPECT_EQ(stats.rows_without_positive, 0u);
  EXPECT_EQ(stats.observed.min, 1u);
  EXPECT_EQ(stats.observed.max, 1u);
  const auto [rare, common] = std::ranges::minmax(stats.truth->class_counts);
  EXPECT_GT(common, 2 * rare);  // long-tailed
}

TEST(Synth, LabelsOccurTogether) {
  const SyntheticModel model({.rows = 1, .labels = 20, .features = 1, .expected_positives = 4});
  constexpr size_t rows = 4000;
  std::vector<int8_t> y(20);
  std::vector<double> single(20), pair(400);
  for (size_t i = 0; i < rows; ++i) {
    model.draw_labels(0, i, y);
    for (size_t a = 0; a < 20; ++a) {
      single[a] += y[a];
      for (size_t b = 0; b < a; ++b) pair[a * 20 + b] += y[a] * y[b];
    }
  }
  double largest_lift = 0;
  for (size_t a = 0; a < 20; ++a) {
    for (size_t b = 0; b < a; ++b) {
      largest_lift = std::max(largest_lift, pair[a * 20 + b] * rows / (single[a] * single[b]));
    }
  }
  EXPECT_GT(largest_lift, 1.5);
}

TEST(Synth, RowsDifferBetweenPartsAndSeeds) {
  const SyntheticModel one({.seed = 1}), two({.seed = 2});
  const auto features = [](const SyntheticModel& model, int part, size_t row) {
    std::vector<int8_t> labels(20);
    std::vector<float> x(256);
    model.draw_labels(part, row, labels);
    model.draw_features(part, row, labels, x);
    return x;
  };
  EXPECT_EQ(features(one, 0, 5), features(one, 0, 5));
  EXPECT_NE(features(one, 0, 5), features(one, 1, 5));
  EXPECT_NE(features(one, 0, 5), features(one, 0, 6));
  EXPECT_NE(features(one, 0, 5), features(two, 0, 5));
}

TEST(Synth, SmallestAndFullestData) {
  TemporaryFolder folder;
  write_synthetic(folder.path(), {.rows = 1, .labels = 1, .features = 1});
  EXPECT_EQ(open_dataset(folder.path()).test.rows(), 1u);
  write_synthetic(folder.path(), {.rows = 3, .labels = 4, .features = 2, .expected_positives = 4});
  EXPECT_EQ(part_stats(open_dataset(folder.path()).train_file).truth->per_row.min, 4u);
}

TEST(Synth, RefusesImpossibleSizes) {
  EXPECT_SPML_ERROR(SyntheticModel({.rows = 0}), HasSubstr("rows, found 0"));
  EXPECT_SPML_ERROR(SyntheticModel({.labels = 0}), HasSubstr("0 labels"));
  EXPECT_SPML_ERROR(SyntheticModel({.labels = 1'000'000, .features = 1'000'000}),
                    HasSubstr("multiplied"));
  EXPECT_SPML_ERROR(SyntheticModel({.expected_positives = NAN}), HasSubstr("found nan"));
  EXPECT_SPML_ERROR(SyntheticModel({.expected_positives = 21}), HasSubstr("at most 20 labels"));
}

}  // namespace
}  // namespace spml
