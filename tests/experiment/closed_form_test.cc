// Classifiers that are solved for, in place of those trained by steps and beside them.
#include "fit/closed_form.h"

#include "data.h"
#include "fit/average.h"
#include "fit/measure.h"
#include "fit/train.h"
#include "linear/linear_model.h"
#include "search/auto.h"
#include "settings/grid.h"
#include "testing.h"

namespace spml {
namespace {

using testing::HasSubstr;

TrainConfig config_of(const std::string& loss) {
  TrainConfig config;
  config.loss = loss;
  config.k = 1.3;
  return config;
}

std::vector<float> weights_of(const Session& session) {
  return dynamic_cast<const LinearModel&>(*session.model).weight();
}

// (N, L) of all rows of the training file.
Matrix<float> logits_of(const Session& session) {
  const auto rows = all_rows(session.data.train_file);
  Matrix<float> logits(rows.size(), session.data.labels());
  session.model->predict(Part::kTrainFile, rows, 0, logits.view());
  return logits;
}

class ClosedForm : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Losses, ClosedForm, testing::Values("ridge", "logistic", "squared-hinge"));

TEST_P(ClosedForm, IsARunOfOneStep) {
  const Dataset data = small_data();
  Session session(data, config_of(GetParam()), 1);
  size_t epochs_told = 0;
  LoopEvents events;
  events.after_epoch = [&](EpochRecord&) { ++epochs_told; };
  train(session, events);
  const RunResult result = measure(session);
  EXPECT_EQ(session.total_steps(), 1u);
  EXPECT_EQ(result.steps, 1u);
  EXPECT_EQ(result.epochs, 1);
  EXPECT_EQ(result.best_epoch, 1);
  EXPECT_EQ(epochs_told, 1u);
  EXPECT_GT(result.test_map, 60);
  EXPECT_GT(session.loop.state().epochs.front().train_loss, 0);
}

TEST_P(ClosedForm, HasTheSameBytesForAnyNumberOfThreads) {
  const Dataset data = small_data();
  Session one(data, config_of(GetParam()), 1), three(data, config_of(GetParam()), 3);
  train(one);
  train(three);
  EXPECT_EQ(weights_of(one), weights_of(three));
}

TEST_P(ClosedForm, TakesNoSettingsOfSteps) {
  for (const char* name : {"lr", "batch", "epochs", "weight-decay", "average", "patience"}) {
    GridValues values;
    values.settings = {{"loss", {GetParam()}}, {name, {"3"}}};
    EXPECT_SPML_ERROR(make_grid(values, 4), HasSubstr("a loss that is trained by steps"));
  }
}

TEST(MarginLosses, HaveLargerWeightsWithLessPenalty) {
  const Dataset data = small_data();
  TrainConfig config = config_of("logistic");
  const auto squares = [&](double strength) {
    config.params["C"] = strength;
    Session session(data, config, 1);
    train(session);
    double sum = 0;
    for (const float weight : weights_of(session)) sum += weight * weight;
    return sum;
  };
  EXPECT_GT(squares(1), 1.1 * squares(0.1));
}

TEST(MarginLosses, AssumedNegativesCanWeighNothing) {
  const Dataset data = small_data();
  TrainConfig config = config_of("squared-hinge");
  config.params["gamma"] = 0;
  Session session(data, config, 1);
  train(session);
  // Positives alone: a bias is all that it takes.
  for (const float weight : weights_of(session)) EXPECT_NEAR(weight, 0, 1e-3);
}

TEST(SolvedLoss, IsOneRunOfASweepOverStepSizes) {
  GridValues values;
  values.settings = {{"loss", {"an", "ridge"}}, {"lr", {"0.1", "0.01", "0.001"}}};
  EXPECT_EQ(make_grid(values, 4).size(), 4u);
}

TEST(Blend, HasTheSpreadOfTheTrainedClassifier) {
  const Dataset data = small_data();
  TrainConfig config = config_of("an");
  config.lr = 0.05;
  config.epochs = 5;
  Session plain(data, config, 1);
  config.blend_ridge = true;
  Session blended(data, config, 1);
  train(plain);
  train(blended);
  EXPECT_EQ(weights_of(plain), weights_of(blended));  // until they are averaged
  average_classifiers(blended, {});
  EXPECT_NE(weights_of(plain), weights_of(blended));
  const Matrix<float> before = logits_of(plain), after = logits_of(blended);
  for (size_t j = 0; j < data.labels(); ++j) {
    double sum_before = 0, sum_after = 0;
    for (const int32_t row : plain.prepared.split.train) {
      sum_before += before(static_cast<size_t>(row), j);
      sum_after += after(static_cast<size_t>(row), j);
    }
    EXPECT_NEAR(sum_before, sum_after, 1e-3 * std::abs(sum_before)) << j;
  }
}

TEST(Search, TriesClassifiersThatAreSolvedForAndBlends) {
  const Dataset data = small_data({.rows = 120, .truth = false});
  TrainConfig base;
  base.epochs = 2;
  const SearchResult result = search_settings(data, base, {});
  const auto count = [&](auto&& is) { return std::ranges::count_if(result.trials, is); };
  EXPECT_EQ(
      count([](const SearchTrial& t) { return t.stage == "screen" && t.config.loss == "ridge"; }),
      3);
  EXPECT_EQ(count([](const SearchTrial& t) { return t.config.blend_ridge; }), 3);
  const SearchTrial* solved = nullptr;  // the best of those
  for (const SearchTrial& t : result.trials) {
    if (t.stage != "screen" || t.config.loss != "ridge") continue;
    if (solved == nullptr || *t.score > *solved->score) solved = &t;
  }
  ASSERT_NE(solved, nullptr);
  EXPECT_GE(count([&](const SearchTrial& t) {
              return t.config.blend_ridge && t.config.transform == solved->config.transform;
            }),
            1);
  EXPECT_EQ(count([](const SearchTrial& t) { return t.chosen; }), 1);
  EXPECT_LE(result.trials.size(), kDefaultTrials);
  EXPECT_EQ(result.chosen.average, takes_steps(result.chosen) ? 3 : 1);
}

}  // namespace
}  // namespace spml
