// The split, the subsample and the observed labels, value for value as NumPy and the authors drew.
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "base/numpy_random.h"
#include "data/observe.h"
#include "data/split.h"
#include "testing.h"

namespace spml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// 2^31 - 1 rows in a file with a hole take no room on the disk.
TEST(Split, IsRefusedBeforeItTakesMoreThanMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer reserves more than any limit";
#endif
  struct rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_DATA, &before), 0);
  struct rlimit limit = before;
  limit.rlim_cur = rlim_t{1} << 30;
  ASSERT_EQ(::setrlimit(RLIMIT_DATA, &limit), 0);
  EXPECT_SPML_ERROR(split_rows(300'000'000),
                    testing::HasSubstr("data of 300000000 rows: dividing them into training and "
                                       "validation needs 2.4 GB of memory"));
  ASSERT_EQ(::setrlimit(RLIMIT_DATA, &before), 0);
}

TEST(Split, TakesTheEndOfThePermutation) {
  // RandomState(1200).permutation(17) is 16,15,11,4,12,9,14,6,3,13,10,1,8,5,2,0,7.
  const Split split = split_rows(17);
  EXPECT_THAT(split.val, ElementsAre(0, 2, 7));
  EXPECT_THAT(split.train, ElementsAre(1, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16));
}

TEST(Split, SizesOfThePaper) {
  EXPECT_EQ(split_rows(5717).val.size(), 1143u);
  EXPECT_EQ(split_rows(82081).val.size(), 16416u);
  EXPECT_TRUE(split_rows(10, 0).val.empty());
  EXPECT_EQ(split_rows(5, 0.5).val.size(), 2u);  // halves to even
  EXPECT_SPML_ERROR(split_rows(10, 1.5), HasSubstr("from 0 to 1, found 1.5"));
  EXPECT_SPML_ERROR(split_rows(10, NAN), HasSubstr("from 0 to 1"));
}

TEST(SplitFolds, HoldOutDifferentRowsAndBeginWithTheSplit) {
  const std::vector<Split> folds = split_folds(23, 0.2, 1200, 9);
  ASSERT_EQ(folds.size(), 4u);  // of 5 rows each: 23 rows have no more
  EXPECT_EQ(folds[0].val, split_rows(23).val);
  EXPECT_EQ(folds[0].train, split_rows(23).train);
  std::set<int32_t> held_out;
  for (const Split& fold : folds) {
    held_out.insert(fold.val.begin(), fold.val.end());
    std::vector<int32_t> all(fold.train.size() + fold.val.size());
    std::ranges::merge(fold.train, fold.val, all.begin());
    for (size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], static_cast<int32_t>(i));
  }
  EXPECT_EQ(held_out.size(), 20u);
  EXPECT_EQ(split_folds(10, 0, 1200, 3).size(), 1u);
}

TEST(Subsample, TakesTheStartOfThePermutation) {
  // RandomState(999).permutation(33) starts 12,20,32,9,3.
  std::vector<int32_t> rows(33);
  std::iota(rows.begin(), rows.end(), 100);
  EXPECT_THAT(subsample_rows(rows, 0.15), ElementsAre(103, 109, 112, 120, 132));
  EXPECT_EQ(subsample_rows(rows, 1.0), rows);
}

std::vector<int8_t> values(const LabelMatrix& labels) {
  std::vector<int8_t> all(labels.rows() * labels.cols());
  for (size_t i = 0; i < labels.rows(); ++i) {
    labels.read_row(i, std::span(all).subspan(i * labels.cols(), labels.cols()));
  }
  return all;
}

TEST(Observe, DrawsTheAuthorsLabels) {
  const Path voc = shared_data() / "voc12";
  SPML_NEED_SHARED(voc);
  for (const char* part : {"train", "val"}) {
    const LabelMatrix truth{NpyArray(truth_file(voc, part))};
    const LabelMatrix expected{NpyArray(observed_file(voc, part))};
    EXPECT_EQ(values(draw_observed(truth, {})), values(expected)) << part;
  }
}

TEST(Observe, KeepsWhatWasAskedFor) {
  const LabelMatrix truth({1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0}, 3, 5);
  const std::vector<int8_t> observed =
      values(draw_observed(truth, {.num_pos = 2, .num_neg = 3, .seed = 7}));
  const auto count = [&](size_t row, int8_t label) {
    const auto begin = observed.begin() + static_cast<std::ptrdiff_t>(row * 5);
    return std::count(begin, begin + 5, label);
  };
  EXPECT_EQ(count(0, 1), 2);
  EXPECT_EQ(count(0, -1), 2);  // it has no more
  EXPECT_EQ(count(1, 1), 0);
  EXPECT_EQ(count(1, -1), 3);
  EXPECT_EQ(count(2, 1), 2);
  EXPECT_EQ(count(2, -1), 1);
  EXPECT_NO_THROW(check_agreement(truth, draw_observed(truth, {}), 1));
}

TEST(Observe, ShufflesNegativesEvenWhenNoneIsKept) {
  const LabelMatrix truth({1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0}, 2, 6);
  NumpyRandom random(1200);
  std::vector<int32_t> expected;
  for (int row = 0; row < 2; ++row) {
    std::vector<int32_t> positives = {0, 1, 2}, negatives = {3, 4, 5};
    random.shuffle(std::span(positives));
    random.shuffle(std::span(negatives));
    expected.push_back(positives[0]);
  }
  const std::vector<int8_t> observed = values(draw_observed(truth, {}));
  EXPECT_EQ(observed[static_cast<size_t>(expected[0])], 1);
  EXPECT_EQ(observed[static_cast<size_t>(6 + expected[1])], 1);
}

TEST(Observe, IsBoundedByMemory) {
  const LabelMatrix truth(std::vector<int8_t>(800, 1), 800, 1);
  EXPECT_NO_THROW(draw_observed(truth, {}, MemoryBudget(900)));
  EXPECT_SPML_ERROR(draw_observed(truth, {}, MemoryBudget(899)), testing::HasSubstr("drawing"));
  EXPECT_NO_THROW(draw_observed(truth, {.complete = 0.1}, MemoryBudget(4100)));
  EXPECT_SPML_ERROR(draw_observed(truth, {.complete = 0.1}, MemoryBudget(4099)),
                    testing::HasSubstr("drawing"));
}

// The draw is a promise: these are from when rows were numbered by 64 bits.
TEST(Observe, CompleteRowsAreThoseOfEarlierVersions) {
  const LabelMatrix truth(std::vector<int8_t>(40, 1), 20, 2);
  const std::vector<int8_t> drawn = values(draw_observed(truth, {.complete = 0.25}));
  std::vector<size_t> complete;
  for (size_t i = 0; i < 20; ++i) {
    if (drawn[2 * i] == 1 && drawn[2 * i + 1] == 1) complete.push_back(i);
  }
  EXPECT_THAT(complete, testing::ElementsAre(0, 5, 6, 8, 17));
}

TEST(Observe, CompleteRowsLeaveTheOthersAsTheyAre) {
  std::vector<int8_t> labels;
  for (int i = 0; i < 40; ++i) labels.insert(labels.end(), {1, 0, 1, 0, 1});
  const LabelMatrix truth(labels, 40, 5);
  const std::vector<int8_t> plain = values(draw_observed(truth, {}));
  const std::vector<int8_t> mixed = values(draw_observed(truth, {.complete = 0.25}));
  int complete = 0;
  for (size_t i = 0; i < 40; ++i) {
    const std::span row(mixed.data() + 5 * i, 5), before(plain.data() + 5 * i, 5);
    if (std::ranges::find(row, int8_t{0}) == row.end()) {
      ++complete;
      for (size_t j = 0; j < 5; ++j) EXPECT_EQ(row[j], labels[5 * i + j] == 1 ? 1 : -1);
    } else {
      EXPECT_TRUE(std::ranges::equal(row, before)) << i;
    }
  }
  EXPECT_EQ(complete, 10);
}

}  // namespace
}  // namespace spml
