// What losses change of the labels: within a step, and between epochs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "batch.h"
#include "loss/class_prior.h"

namespace spml {
namespace {

using testing::ElementsAre;

std::unique_ptr<const Loss> make(std::string_view name, LossParameters params = {},
                                 size_t labels = 3) {
  return make_loss(name, {.labels = labels, .k = 1, .params = std::move(params)});
}

// One label of six rows; the first is the observed positive.
struct Label {
  std::vector<float> probabilities = {0.9f, 0.85f, 0.2f, 0.1f, 0.7f, 0.3f};
  std::vector<int8_t> observed = {1, 0, 0, 0, 0, -1};
  std::vector<int8_t> labels = observed;
  std::vector<float> soft = std::vector<float>(6, -1.0f);
  std::vector<float> prior = {0.5f};

  void review(const Loss& loss, int epoch, int epochs) {
    loss.review({epoch, epochs, probabilities, observed, labels, soft, prior});
  }
};

TEST(LossReview, SelfTrainingMakesConfidentUnknownLabelsPositive) {
  const auto loss = make("self-training", {{"tau", 0.6}, {"warm_up", 0.5}});
  Label label;
  label.review(*loss, 4, 10);
  EXPECT_EQ(label.labels, label.observed) << "before the end of the warm-up";
  label.review(*loss, 5, 10);
  EXPECT_THAT(label.labels, ElementsAre(1, 1, 0, 0, 1, -1));
}

TEST(LossReview, EmAplKeepsTheLowestProbabilitiesOfTheUnknown) {
  // Four unknown labels; half of them over two rounds is one a round.
  const auto loss = make("em-apl", {{"warm_up", 0.5}, {"share", 0.5}});
  Label label;
  label.review(*loss, 1, 4);
  EXPECT_THAT(label.soft, testing::Each(-1.0f)) << "before the end of the warm-up";
  label.review(*loss, 2, 4);
  EXPECT_THAT(label.soft, ElementsAre(-1, -1, -1, 0.1f, -1, -1));
  label.probabilities[3] = 0.95f;  // has its pseudo-label for good
  label.review(*loss, 3, 4);
  EXPECT_THAT(label.soft, ElementsAre(-1, -1, 0.2f, 0.1f, -1, -1));
}

TEST(LossReview, CrispAndNnpuEstimateThePriorAfterTheWarmUp) {
  for (const char* name : {"crisp", "nnpu"}) {
    const auto loss = make(name, {{"warm_up", 0.5}});
    Label label;
    label.review(*loss, 4, 10);
    EXPECT_EQ(label.prior[0], 0.5f);
    label.review(*loss, 5, 10);
    EXPECT_EQ(label.prior[0],
              static_cast<float>(estimate_class_prior(label.probabilities, label.observed)));
  }
}

TEST(LossReview, ACombinedLossReviewsAsItsBase) {
  EXPECT_TRUE(find_loss("role+self-training").memory.labels);
  Label label;
  label.review(*make("role+self-training", {{"tau", 0.6}}), 5, 10);
  EXPECT_THAT(label.labels, ElementsAre(1, 1, 0, 0, 1, -1));
}

TEST(LossReview, LlCpRelabelsTheLargestLossesForGood) {
  // 12 entries; 10 % are two of them, from the second epoch on.
  Batch batch(3, 4);
  batch.z = {5, 1, -1, 0, 3, 2, -2, -3, -1, -1, 4, 6};
  batch.observed = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1};
  batch.epochs = 5;
  const auto loss = make("ll-cp", {{"delta", 10}}, 4);
  EXPECT_EQ(batch.evaluate<float>(*loss).relabelled, batch.observed) << "in the first epoch";
  for (batch.epoch = 2; batch.epoch <= 3; ++batch.epoch) {
    std::vector<int8_t> expected = batch.observed;
    expected[4] = expected[10] = 1;
    EXPECT_EQ(batch.evaluate<float>(*loss).relabelled, expected);
    EXPECT_EQ(batch.evaluate<double>(*loss).relabelled, expected);
  }
}

TEST(LossReview, OnlyLossesThatSayItRelabel) {
  for (const LossInfo* info : all_losses()) {
    Batch batch = Batch::random(16, 20, 3);
    const Case c = {info, {}};
    const auto result = batch.evaluate<float>(*c.make(batch.L));
    const bool may = info->memory.labels && !info->memory.reviews;
    EXPECT_EQ(result.relabelled != batch.observed, may) << info->name;
  }
}

TEST(LossReview, WarmUpTrainsAsAn) {
  Batch batch = Batch::random(6, 11, 5);
  batch.epochs = 10;
  for (const char* name : {"crisp", "nnpu"}) {
    batch.epoch = 2;  // of 10: the warm-up is 0.2
    const auto warm = batch.evaluate<double>(*make(name, {}, 11));
    const auto an = batch.evaluate<double>(*make("an", {}, 11));
    EXPECT_EQ(warm.value, an.value) << name;
    EXPECT_EQ(warm.dz, an.dz) << name;
    batch.epoch = 3;
    EXPECT_NE(batch.evaluate<double>(*make(name, {}, 11)).value, an.value) << name;
  }
}

TEST(ClassPrior, IsFoundFromScoresThatSeparate) {
  // 40 % positive, a quarter of them observed; positives score higher, with an overlap.
  const size_t n = 4000;
  std::vector<float> scores(n);
  std::vector<int8_t> observed(n);
  CounterRng random(1, Stream::kSynthetic);
  for (size_t i = 0; i < n; ++i) {
    const bool positive = random.uniform() < 0.4;
    scores[i] = static_cast<float>(random.normal() + (positive ? 3 : 0));
    observed[i] = positive && random.uniform() < 0.25;
  }
  EXPECT_NEAR(estimate_class_prior(scores, observed), 0.4, 0.04);
}

TEST(ClassPrior, StaysBetweenTheObservedShareAndOne) {
  const std::vector<float> same(10, 0.5f);
  const std::vector<int8_t> none(10, 0), all(10, 1);
  EXPECT_EQ(estimate_class_prior(same, none), 0);
  EXPECT_EQ(estimate_class_prior(same, all), 1);
  std::vector<int8_t> one = none;
  one[3] = 1;
  EXPECT_EQ(estimate_class_prior(same, one), 1) << "scores that say nothing";
  std::vector<float> best = same;
  best[3] = 0.9f;
  EXPECT_NEAR(estimate_class_prior(best, one), 0.1, 1e-12);
}

}  // namespace
}  // namespace spml
