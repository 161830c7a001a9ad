#include "train/label_memory.h"

#include <cmath>

#include "fake_model.h"
#include "testing.h"

namespace spml {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr size_t kLabels = 2;

// Three training rows, the rows 3, 0 and 2 of a file of four.
class Memory : public testing::Test {
 protected:
  LabelMemory make(const LossMemory& needs) { return {needs, observed_, labels_, rows_, 1}; }

  LabelMatrix observed_{{1, 0, 0, 1, 0, 0, 1, -1}, 4, kLabels};
  LabelMatrix truth_;
  LossInfo loss_;
  TrainingLabels labels_{observed_, truth_, loss_};
  const std::vector<int32_t> rows_{3, 0, 2};

  // A batch of training rows as the loss gets it.
  struct Batch {
    explicit Batch(const std::vector<int32_t>& which)
        : rows(which), observed(which.size() * kLabels, 9) {}
    void fetch(LabelMemory& memory) {
      memory.fetch(rows, {observed.data(), rows.size(), kLabels}, in, out);
    }
    std::vector<int32_t> rows;
    std::vector<int8_t> observed;
    LossInput in;
    LossOutput out;
  };
};

// Changes whatever it is shown, in a way that tells label and row apart.
class Reviewer : public Loss {
 public:
  double evaluate(const LossInput&, const LossOutput&) const override { return 0; }
  double evaluate(const BasicLossInput<double>&, const BasicLossOutput<double>&) const override {
    return 0;
  }
  void review(const LabelReview& seen) const override {
    reviews.push_back({seen.epoch,
                       seen.epochs,
                       {seen.probabilities.begin(), seen.probabilities.end()},
                       {seen.observed.begin(), seen.observed.end()}});
    for (size_t i = 0; i < seen.labels.size(); ++i) {
      if (seen.probabilities[i] > 0.5f) seen.labels[i] = 1;
    }
    std::copy(seen.probabilities.begin(), seen.probabilities.end(), seen.soft_labels.begin());
    if (!seen.prior.empty()) seen.prior[0] += 0.25f;
  }

  struct Seen {
    int epoch, epochs;
    std::vector<float> probabilities;
    std::vector<int8_t> observed;
  };
  mutable std::vector<Seen> reviews;
};

TEST_F(Memory, StartsFromTheLabelsOfItsRows) {
  const LabelMemory memory = make({.labels = true, .soft_labels = true, .priors = true});
  EXPECT_THAT(memory.labels(), ElementsAre(1, -1, 1, 0, 0, 0));
  EXPECT_THAT(memory.soft_labels(), testing::Each(-1.0f));
  EXPECT_THAT(memory.priors(), ElementsAre(FloatEq(2.0f / 3), FloatEq(0)));
}

TEST_F(Memory, KeepsNothingThatTheLossDoesNotAskFor) {
  LabelMemory memory = make({.reviews = true});
  EXPECT_THAT(memory.labels(), IsEmpty());
  EXPECT_THAT(memory.soft_labels(), IsEmpty());
  EXPECT_THAT(memory.priors(), IsEmpty());
  Batch batch({1});
  batch.fetch(memory);
  EXPECT_THAT(batch.observed, ElementsAre(9, 9)) << "left as the caller read them";
  EXPECT_TRUE(batch.in.soft_labels.empty());
  EXPECT_TRUE(batch.out.relabelled.empty());
}

TEST_F(Memory, WhatALossRelabelsStaysOnceItIsApplied) {
  LabelMemory memory = make({.labels = true});
  Batch batch({2, 0});
  batch.fetch(memory);
  EXPECT_THAT(batch.observed, ElementsAre(0, 0, 1, -1));
  batch.out.relabelled(0, 1) = 1;

  Batch again({2, 0});
  again.fetch(memory);
  EXPECT_THAT(again.observed, ElementsAre(0, 0, 1, -1)) << "not applied, not kept";
  again.out.relabelled(0, 1) = 1;
  memory.apply(again.rows);
  EXPECT_THAT(memory.labels(), ElementsAre(1, -1, 1, 0, 0, 1));
}

TEST_F(Memory, AReviewShowsEveryLabelAndKeepsTheChanges) {
  LabelMemory memory = make({.labels = true, .soft_labels = true, .priors = true, .reviews = true});
  // Logits of the rows of the file; the training rows are 3, 0, 2.
  FakeModel model({3, -3, 9, 9, -1, 2, -2, 1}, kLabels);
  const Reviewer loss;
  memory.review(loss, model, 2, 5);

  const auto sigmoid = [](float z) { return 1 / (1 + std::exp(-z)); };
  ASSERT_EQ(loss.reviews.size(), kLabels);
  EXPECT_EQ(loss.reviews[0].epoch, 2);
  EXPECT_EQ(loss.reviews[0].epochs, 5);
  EXPECT_THAT(loss.reviews[0].observed, ElementsAre(1, 1, 0));
  EXPECT_THAT(loss.reviews[1].observed, ElementsAre(-1, 0, 0));
  EXPECT_THAT(loss.reviews[0].probabilities,
              ElementsAre(FloatEq(sigmoid(-2)), FloatEq(sigmoid(3)), FloatEq(sigmoid(-1))));
  EXPECT_THAT(memory.labels(), ElementsAre(1, 1, 1, 0, 0, 1));
  EXPECT_THAT(memory.soft_labels(),
              ElementsAre(FloatEq(sigmoid(-2)), FloatEq(sigmoid(1)), FloatEq(sigmoid(3)),
                          FloatEq(sigmoid(-3)), FloatEq(sigmoid(-1)), FloatEq(sigmoid(2))));
  EXPECT_THAT(memory.priors(), ElementsAre(FloatEq(2.0f / 3 + 0.25f), FloatEq(0.25f)));

  Batch batch({1});
  batch.fetch(memory);
  EXPECT_THAT(batch.in.soft_labels.flat(), ElementsAre(FloatEq(sigmoid(3)), FloatEq(sigmoid(-3))));
  EXPECT_THAT(batch.in.class_priors, ElementsAre(FloatEq(2.0f / 3 + 0.25f), FloatEq(0.25f)));
}

TEST_F(Memory, IsReviewedOnlyForALossThatAsksForIt) {
  LabelMemory memory = make({.labels = true});
  FakeModel model({3, -3, 9, 9, -1, 2, -2, 1}, kLabels);
  const Reviewer loss;
  memory.review(loss, model, 1, 5);
  EXPECT_THAT(loss.reviews, IsEmpty());
}

TEST_F(Memory, ComesBackFromACheckpoint) {
  const LossMemory needs{.labels = true, .soft_labels = true, .priors = true, .reviews = true};
  LabelMemory memory = make(needs);
  FakeModel model({3, -3, 9, 9, -1, 2, -2, 1}, kLabels);
  memory.review(Reviewer(), model, 1, 5);
  TemporaryFolder folder;
  SafetensorsWriter writer;
  memory.save_state(writer);
  writer.write(folder / "state");

  LabelMemory other = make(needs);
  other.load_state(SafetensorsFile(folder / "state"));
  EXPECT_TRUE(std::ranges::equal(other.labels(), memory.labels()));
  EXPECT_TRUE(std::ranges::equal(other.soft_labels(), memory.soft_labels()));
  EXPECT_TRUE(std::ranges::equal(other.priors(), memory.priors()));
}

TEST_F(Memory, RefusesACheckpointOfAnotherShape) {
  LabelMemory memory = make({.labels = true});
  TemporaryFolder folder;
  SafetensorsWriter writer;
  memory.save_state(writer);
  writer.write(folder / "state");
  const std::vector<int32_t> fewer{0};
  LabelMemory other({.labels = true}, observed_, labels_, fewer, 1);
  EXPECT_SPML_ERROR(other.load_state(SafetensorsFile(folder / "state")),
                    HasSubstr("memory.labels"));
}

}  // namespace
}  // namespace spml
