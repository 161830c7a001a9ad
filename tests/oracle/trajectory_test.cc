// Fifty steps of the trainer against fifty steps of a plain LibTorch loop: the same starting point,
// the same batches, and every parameter compared at the end.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/rng.h"
#include "linear/linear_model.h"
#include "recording_loss.h"
#include "torch_loop.h"
#include "train/loop.h"
#include "train/table_estimator.h"

namespace spml {
namespace {

constexpr size_t kRows = 400, kLabels = 20, kFeatures = 100, kBatch = 16;
constexpr uint64_t kSteps = 50;  // two epochs: the second meets estimates that have to catch up
constexpr double kRate = 1e-3, kPositives = 1.5, kTolerance = 1e-4;

struct Parameters {
  std::vector<float> weight, bias, estimates;
};

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(double{a[i]} - double{b[i]}));
  }
  return largest;
}

class Trajectory : public testing::TestWithParam<const char*> {
 protected:
  Trajectory() : features_(kRows * kFeatures), observed_(kRows * kLabels) {
    CounterRng random(7, Stream::kSynthetic);
    for (float& x : features_) x = static_cast<float>(std::max(0.0, random.normal()));
    for (size_t i = 0; i < kRows; ++i) {
      observed_[i * kLabels + random.below(kLabels)] = 1;
      if (i % 5 == 0) observed_[i * kLabels + random.below(kLabels)] = -1;
    }
  }

  std::vector<float> features_;
  std::vector<int8_t> observed_;
};

TEST_P(Trajectory, AgreesWithAPlainLibTorchLoop) {
  const LossInfo& info = find_loss(GetParam());
  const LossSetup setup{.labels = kLabels, .k = kPositives, .params = {}};
  const auto loss = make_loss(info.name, setup);
  const LossParameters params = resolve_parameters(info, setup);

  const FeatureMatrix features(View<const float>{features_.data(), kRows, kFeatures});
  const LabelMatrix observed(observed_, kRows, kLabels), no_truth;
  TrainingLabels labels(observed, no_truth, info);
  LinearConfig config;
  config.features = kFeatures;
  config.labels = kLabels;
  config.batch = kBatch;
  config.adam.lr = kRate;
  LinearModel model(config, FeatureTransform(), &features, nullptr);

  std::unique_ptr<TableEstimator> estimator;
  TorchLoopSetup start;
  Parameters first{model.weight(), {model.bias().begin(), model.bias().end()}, {}};
  if (info.uses_estimates) {
    AdamConfig adam;
    adam.lr = kRate * params.at("estimate_lr_factor");
    estimator = std::make_unique<TableEstimator>(kRows, kLabels, adam);
    for (size_t i = 0; i < kRows; ++i) {
      estimator->start_row(i, {&observed_[i * kLabels], kLabels}, 0, i);
      const std::span<const float> u = estimator->table().start_row(i);
      first.estimates.insert(first.estimates.end(), u.begin(), u.end());
    }
    start.estimates = {first.estimates.data(), kRows, kLabels};
  }

  std::vector<int32_t> rows(kRows);
  std::iota(rows.begin(), rows.end(), 0);
  LoopPlan plan;
  plan.rows = rows;
  plan.batch = kBatch;
  plan.epochs = 2;
  ASSERT_EQ(plan.steps_per_epoch() * 2, kSteps);
  const Evaluator validation(Part::kTrainFile, rows, observed, 1);
  const RecordingLoss recording(*loss);
  Loop loop(plan, recording, model, estimator.get(), labels, validation);
  // At the end of run() the model goes back to its best epoch: look before.
  Parameters ours;
  LoopEvents events;
  events.after_epoch = [&](EpochRecord&) {
    ours.weight = model.weight();
    ours.bias.assign(model.bias().begin(), model.bias().end());
  };
  loop.run(events);
  ASSERT_EQ(recording.batches().size(), kSteps);

  start.features = {features_.data(), kRows, kFeatures};
  start.observed = {observed_.data(), kRows, kLabels};
  start.weight = {first.weight.data(), kLabels, kFeatures};
  start.bias = first.bias;
  start.lr = kRate;
  start.k = kPositives;
  start.params = params;
  TorchLoop torch_loop(info.name, start);
  for (size_t i = 0; i < kSteps; ++i) {
    EXPECT_NEAR(torch_loop.step(recording.batches()[i]), recording.values()[i], 1e-5)
        << "step " << i;
  }
  EXPECT_GT(largest_difference(first.weight, ours.weight), 1e-2) << "nothing was learned";
  EXPECT_LE(largest_difference(torch_loop.weight(), ours.weight), kTolerance);
  EXPECT_LE(largest_difference(torch_loop.bias(), ours.bias), kTolerance);
  if (!info.uses_estimates) return;
  // All rows as of now, also those that the last batches left alone.
  ours.estimates.resize(kRows * kLabels);
  estimator->fetch(rows, {ours.estimates.data(), kRows, kLabels});
  EXPECT_GT(largest_difference(first.estimates, ours.estimates), 1e-2) << "nothing was learned";
  EXPECT_LE(largest_difference(torch_loop.estimates(), ours.estimates), kTolerance);
}

INSTANTIATE_TEST_SUITE_P(Losses, Trajectory, testing::Values("an", "an-ls", "epr", "role"),
                         [](const auto& loss) {
                           std::string name = loss.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace spml
