#include "data/observe_bias.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/rng.h"
#include "data/dataset.h"
#include "import_trees.h"

namespace spml {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr size_t kRows = 30000;

LabelMatrix repeated(const std::vector<int8_t>& row) {
  std::vector<int8_t> values;
  for (size_t i = 0; i < kRows; ++i) values.insert(values.end(), row.begin(), row.end());
  return LabelMatrix(std::move(values), kRows, row.size());
}

RowWeights constant(std::vector<float> weights) {
  return [weights](size_t, std::span<float> out) {
    std::copy(weights.begin(), weights.end(), out.begin());
  };
}

// How often each label is observed with the given sign.
std::vector<double> counts(const LabelMatrix& observed, int sign = 1) {
  std::vector<double> result(observed.cols());
  std::vector<int8_t> row(observed.cols());
  for (size_t i = 0; i < observed.rows(); ++i) {
    observed.read_row(i, row);
    for (size_t j = 0; j < row.size(); ++j) result[j] += row[j] == sign;
  }
  return result;
}

// Pearson's statistic of the counts of one draw per row; under the right probabilities it exceeds
// 27.9 for 4 cells (3 degrees of freedom) less than once in 250,000 runs, and the seed is fixed.
double chi_square(const std::vector<double>& found, const std::vector<double>& probabilities) {
  double sum = 0;
  for (size_t j = 0; j < found.size(); ++j) {
    const double expected = probabilities[j] * kRows;
    if (expected > 0) sum += (found[j] - expected) * (found[j] - expected) / expected;
  }
  return sum;
}

TEST(ObserveBias, OnePositiveIsDrawnInProportionToItsWeight) {
  const LabelMatrix truth = repeated({1, 0, 1, 1, 1});
  const LabelMatrix drawn = draw_observed_weighted(truth, {}, constant({1, 50, 2, 3, 4}));
  EXPECT_LT(chi_square(counts(drawn), {0.1, 0, 0.2, 0.3, 0.4}), 27.9);
  EXPECT_EQ(counts(drawn)[1], 0);
  EXPECT_GT(chi_square(counts(drawn), {0.25, 0, 0.25, 0.25, 0.25}), 1000);
}

TEST(ObserveBias, OnlyTheLargestOfThePositivesIsNamed) {
  const LabelMatrix truth = repeated({1, 0, 1, 1, 0});
  const auto weights = only_largest(constant({1, 50, 3, 3, 2}), truth);
  EXPECT_THAT(counts(draw_observed_weighted(truth, {}, weights)), ElementsAre(0, 0, kRows, 0, 0));
}

TEST(ObserveBias, ScoresWeighExponentiallyHoweverLargeTheyAre) {
  const LabelMatrix truth({1, 1, 0, 0, 1, 1}, 2, 3);
  const TemporaryFolder folder;
  NpyRowWriter file(folder / "s.npy", DType::kF32, 2, 3);
  file.append(std::vector<float>{0, 0.5F, 9});
  file.append(std::vector<float>{-9, -2000, -2001});
  file.finish();
  std::vector<float> row(3);
  score_bias(folder / "s.npy", 2, truth)(0, row);
  EXPECT_THAT(row, ElementsAre(testing::FloatNear(std::exp(-1.0F), 1e-6F), 1, 0));
  score_bias(folder / "s.npy", 2, truth)(1, row);
  EXPECT_THAT(row, ElementsAre(0, 1, testing::FloatNear(std::exp(-2.0F), 1e-6F)));
  EXPECT_THAT(
      [&] {
        score_bias(folder / "s.npy", 1, repeated({1, 1, 1}));
      },
      ThrowsMessage<Error>(HasSubstr("expected 30000 x 3 scores")));
}

TEST(ObserveBias, AnnotatorsDivideTheRows) {
  const LabelMatrix truth = repeated({1, 1, 1, 1});
  const auto first = constant({1, 0, 0, 0}), second = constant({0, 0, 1, 1});
  const auto found =
      counts(draw_observed_weighted(truth, {}, mixed_bias({first, first, second}, 7)));
  EXPECT_LT(chi_square(found, {2.0 / 3, 0, 1.0 / 6, 1.0 / 6}), 27.9);
}

TEST(ObserveBias, SomeRowsAreCompleteWhateverTheBias) {
  const LabelMatrix truth = repeated({1, 0, 1});
  const auto found = draw_observed_weighted(truth, {.complete = 0.25}, constant({1, 1, 0}));
  EXPECT_THAT(counts(found), ElementsAre(kRows, 0, kRows / 4.0));
  EXPECT_THAT(counts(found, -1), ElementsAre(0, kRows / 4.0, 0));
}

TEST(ObserveBias, LaterDrawsAreWithoutReplacement) {
  const LabelMatrix truth = repeated({1, 1, 1});
  const auto found = counts(draw_observed_weighted(truth, {.num_pos = 2}, constant({1, 1, 2})));
  EXPECT_EQ(found[0] + found[1] + found[2], 2.0 * kRows);
  // P(label 2 is among two) = 1/2 + 2 * 1/4 * 2/3 = 5/6; five deviations of a count.
  const double p = 5.0 / 6;
  EXPECT_NEAR(found[2], p * kRows, 5 * std::sqrt(kRows * p * (1 - p)));
  EXPECT_EQ(counts(draw_observed_weighted(truth, {.num_pos = 9}, constant({1, 1, 2}))),
            (std::vector<double>(3, kRows)));
}

TEST(ObserveBias, WeightZeroComesLastAndAllZeroIsUniform) {
  const LabelMatrix truth = repeated({1, 1, 1, 1});
  EXPECT_THAT(counts(draw_observed_weighted(truth, {}, constant({0, 1, 0, 0}))),
              ElementsAre(0, kRows, 0, 0));
  const auto two = counts(draw_observed_weighted(truth, {.num_pos = 2}, constant({0, 1, 0, 0})));
  EXPECT_EQ(two[1], kRows);
  EXPECT_NEAR(two[0], kRows / 3.0, 5 * std::sqrt(kRows * 2.0 / 9));
  const auto none = counts(draw_observed_weighted(truth, {}, constant({0, 0, 0, 0})));
  EXPECT_LT(chi_square(none, {0.25, 0.25, 0.25, 0.25}), 27.9);
}

TEST(ObserveBias, NegativesAreUniform) {
  const LabelMatrix truth = repeated({1, 0, 0, 0, 0});
  const ObserveOptions options{.num_pos = 1, .num_neg = 1};
  const auto found = counts(draw_observed_weighted(truth, options, constant({1, 9, 1, 1, 1})), -1);
  EXPECT_LT(chi_square(found, {0, 0.25, 0.25, 0.25, 0.25}), 27.9);
}

TEST(ObserveBias, TheSeedDecidesAndRowsAreIndependent) {
  const LabelMatrix truth = repeated({1, 1, 1, 1});
  const RowWeights weights = constant({1, 2, 3, 4});
  const LabelMatrix a = draw_observed_weighted(truth, {.seed = 7}, weights);
  const LabelMatrix b = draw_observed_weighted(truth, {.seed = 7}, weights);
  const LabelMatrix c = draw_observed_weighted(truth, {.seed = 8}, weights);
  const LabelMatrix front = draw_observed_weighted(LabelMatrix(std::vector<int8_t>(400, 1), 100, 4),
                                                   {.seed = 7}, weights);
  std::vector<int8_t> row_a(4), row_b(4), row_c(4), row_front(4);
  size_t differences = 0;
  for (size_t i = 0; i < kRows; ++i) {
    a.read_row(i, row_a), b.read_row(i, row_b), c.read_row(i, row_c);
    ASSERT_EQ(row_a, row_b);
    differences += row_a != row_c;
    if (i < 100) {
      front.read_row(i, row_front);
      ASSERT_EQ(row_a, row_front);
    }
  }
  EXPECT_GT(differences, kRows / 2);
}

// What observe_bias.h says, word for word: the labels that are left are gone through at each draw.
std::vector<int8_t> drawn_by_definition(const std::vector<float>& weights, size_t count,
                                        uint32_t seed) {
  std::vector<int8_t> row(weights.size(), 0);
  CounterRng random(seed, Stream::kObserve, 0);
  std::vector<size_t> left(weights.size());
  std::iota(left.begin(), left.end(), size_t{0});
  for (; count > 0 && !left.empty(); --count) {
    double total = 0;
    for (const size_t j : left) total += weights[j];
    size_t chosen = 0;
    if (total == 0) {
      chosen = random.below(left.size());
    } else {
      double rest = random.uniform() * total;
      for (size_t i = 0; i < left.size() && rest >= 0; ++i) {
        if (weights[left[i]] == 0) continue;
        chosen = i;
        rest -= weights[left[i]];
      }
    }
    row[left[chosen]] = 1;
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
  return row;
}

// Counts, shares of an image, many zeros, and sizes so different that sums are rounded.
TEST(ObserveBias, DrawsAreThoseOfTheDefinition) {
  CounterRng random(1, Stream::kTrials);
  for (uint32_t trial = 0; trial < 400; ++trial) {
    const size_t labels = 1 + random.below(90);
    std::vector<float> weights(labels);
    for (float& w : weights) {
      const double u = random.uniform();
      w = static_cast<float>(trial % 4 == 0   ? std::floor(1e5 * u)
                             : trial % 4 == 1 ? u
                             : trial % 4 == 2 ? std::floor(2 * u)
                                              : std::pow(10, 60 * u - 30));
    }
    const size_t count = random.below(labels + 2);
    const LabelMatrix truth(std::vector<int8_t>(labels, 1), 1, labels);
    const LabelMatrix drawn =
        draw_observed_weighted(truth, {.num_pos = count, .seed = trial}, constant(weights));
    std::vector<int8_t> row(labels);
    drawn.read_row(0, row);
    ASSERT_EQ(row, drawn_by_definition(weights, count, trial)) << "trial " << trial;
  }
}

// Hours, were the labels that are left gone through at each draw.
TEST(ObserveBias, ManyDrawsOfManyLabels) {
  constexpr size_t kLabels = 1'000'000;
  std::vector<int8_t> half(kLabels);
  for (size_t j = 0; j < kLabels; j += 2) half[j] = 1;
  const LabelMatrix truth(half, 1, kLabels);
  const ObserveOptions most{.num_pos = 400'000, .num_neg = 400'000};
  std::vector<float> weights(kLabels, 0.25f);
  const LabelMatrix drawn = draw_observed_weighted(truth, most, constant(weights));
  std::vector<int8_t> row(kLabels);
  drawn.read_row(0, row);
  EXPECT_EQ(std::ranges::count(row, 1), 400'000);
  EXPECT_EQ(std::ranges::count(row, -1), 400'000);
  weights[0] = 1e30f;  // sums are rounded now, which depends on their order
  EXPECT_SPML_ERROR(draw_observed_weighted(truth, most, constant(weights)),
                    HasSubstr("row 0: cannot draw 400000 of 500000 labels"));
}

// A folder as an importer leaves it: label 0 in every row, label 1 in a quarter of them.
class ObserveFolder : public ::testing::Test {
 protected:
  ObserveFolder() {
    ImportedSet set;
    set.name = "boxes";
    set.classes = {"large", "central"};
    set.has_boxes = true;
    for (size_t i = 0; i < kRows; ++i) {
      set.train.push_back({std::to_string(i) + ".jpg", {{0, 0.9f, 1}}});
      if (i % 4 == 0) set.train.back().positives.push_back({1, 0.1f, 9});
    }
    write_data_folder(set, folder / "data");
    truth = LabelMatrix(NpyArray(truth_file(data, "train")));
  }
  // Of the rows with both labels, the share in which label 0 is observed.
  double share_of_first(const RowWeights& weights) {
    const LabelMatrix drawn = draw_observed_weighted(truth, {}, weights);
    std::vector<int8_t> row(2);
    double count = 0;
    for (size_t i = 0; i < kRows; i += 4) {
      drawn.read_row(i, row);
      count += row[0];
    }
    return count / (kRows / 4);
  }
  // Five standard deviations of the share.
  static double bound(double p) { return 5 * std::sqrt(p * (1 - p) / (kRows / 4)); }
  TemporaryFolder folder;
  Path data = folder / "data";
  LabelMatrix truth;
};

TEST_F(ObserveFolder, EachBiasFollowsItsWeights) {
  const Path area = box_area_file(data, "train"), closeness = box_closeness_file(data, "train");
  EXPECT_NEAR(share_of_first(class_bias(class_frequencies(truth))), 0.8, bound(0.8));
  EXPECT_NEAR(share_of_first(class_bias({1, 2})), 1.0 / 3, bound(1.0 / 3));
  EXPECT_NEAR(share_of_first(box_bias(area, truth)), 0.9, bound(0.9));
  EXPECT_NEAR(share_of_first(box_bias(closeness, truth)), 0.1, bound(0.1));
}

TEST_F(ObserveFolder, ClassWeightsMustFitTheLabels) {
  EXPECT_SPML_ERROR(share_of_first(class_bias({1, 2, 3})), HasSubstr("expected 2 class weights"));
}

TEST_F(ObserveFolder, WithoutBoxesTheErrorSaysWhereTheyComeFrom) {
  const Path area = box_area_file(data, "train");
  std::filesystem::remove(area);
  EXPECT_SPML_ERROR(box_bias(area, truth), HasSubstr("spml import"));
  const std::vector<float> wrong = {1, 2, 3};
  write_npy(area, View<const float>{wrong.data(), 3, 1});
  EXPECT_SPML_ERROR(box_bias(area, truth), HasSubstr("expected 30000 x 2"));
  const std::vector<float> bad(kRows * 2, -1);
  write_npy(area, View<const float>{bad.data(), kRows, 2});
  EXPECT_SPML_ERROR(share_of_first(box_bias(area, truth)),
                    HasSubstr("found -1 at row 0, column 0"));
}

TEST(ClassWeights, EveryForm) {
  const TemporaryFolder folder;
  const std::vector<std::string> classes = {"cat", "dog"};
  const auto read = [&](const std::string& name, std::string_view text) {
    put(folder / name, text);
    return read_class_weights(folder / name, classes);
  };
  EXPECT_THAT(read("w.csv", "1\n2.5\n"), ElementsAre(1, 2.5));
  EXPECT_THAT(read("w.csv", "dog,2\ncat, 1\n"), ElementsAre(1, 2));
  EXPECT_THAT(read("w.json", "[3, 0]"), ElementsAre(3, 0));
  EXPECT_THAT(read("w.json", R"({"dog": 1, "cat": 2})"), ElementsAre(2, 1));
  EXPECT_SPML_ERROR(read("w.csv", "1\n"), HasSubstr("found none for 'dog'"));
  EXPECT_SPML_ERROR(read("w.csv", "1\n2\n3\n"), HasSubstr("w.csv:3: expected 2 weights"));
  EXPECT_SPML_ERROR(read("w.csv", "cat,1\ncat,2\n"), HasSubstr("w.csv:2: class 'cat'"));
  EXPECT_SPML_ERROR(read("w.csv", "dgo,1\n"), HasSubstr("did you mean 'dog'"));
  EXPECT_SPML_ERROR(read("w.csv", "cat,-1\n"), HasSubstr("at least 0"));
  EXPECT_SPML_ERROR(read("w.csv", "cat,nan\n"), HasSubstr("at least 0"));
  EXPECT_SPML_ERROR(read("w.csv", "cat,x\n"), HasSubstr("expected a number"));
  EXPECT_SPML_ERROR(read("w.json", "7"), HasSubstr("expected an array"));
  EXPECT_SPML_ERROR(read("w.json", "[\"a\", 2]"), HasSubstr("expected a number"));
}

}  // namespace
}  // namespace spml
