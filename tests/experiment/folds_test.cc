// Where few rows are held out, several splits are asked.
#include "fit/folds.h"

#include "data.h"
#include "fit/decisions.h"
#include "spml/matrix.h"
#include "testing.h"

namespace spml {
namespace {

TrainConfig config_of() {
  TrainConfig config;
  config.loss = "an";
  config.lr = 0.05;
  config.batch = 8;
  config.epochs = 2;
  return config;
}

TEST(Folds, AreAsManyAsTheRowsWantedNeedAndFiveAtMost) {
  const Dataset data = small_data();  // 12 of 60 rows are held out
  EXPECT_EQ(folds_holding_out(data, config_of(), 12).size(), 1u);
  EXPECT_EQ(folds_holding_out(data, config_of(), 13).size(), 2u);
  EXPECT_EQ(folds_holding_out(data, config_of(), 1000).size(), 5u);
}

TEST(Folds, AreForLinearRunsWithoutFullLabels) {
  const Dataset hidden = small_data({.truth = false}), known = small_data();
  const auto folded = [](const Dataset& data, const TrainConfig& config) {
    return may_be_folded(Session(data, config, 1));
  };
  EXPECT_TRUE(folded(hidden, config_of()));
  EXPECT_FALSE(folded(known, config_of()));
  TrainConfig observed = config_of(), refit = config_of();
  observed.select = Select::kObserved;
  refit.refit = true;
  EXPECT_TRUE(folded(known, observed));
  EXPECT_FALSE(folded(hidden, refit));
}

TEST(Folds, AreNotThoseOfASessionWithItsOwnRows) {
  const Dataset data = small_data({.truth = false});
  const Split own = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {10, 11, 12}};
  const Session session(data, config_of(), 1, std::nullopt, ImageModelMaker(), &own);
  EXPECT_FALSE(may_be_folded(session));
}

TEST(Folds, TrainTheSameSettingsOnOtherRowsWhateverTheThreads) {
  const Dataset data = small_data({.truth = false});
  Session session(data, config_of(), 1), two(data, config_of(), 2);
  session.loop.run({});
  two.loop.run({});
  const auto others = train_other_folds(session, kFewRows);
  ASSERT_EQ(others.size(), 4u);
  for (const auto& other : others) EXPECT_NE(other->prepared.split.val, session.prepared.split.val);
  EXPECT_EQ(decide(session).thresholds, decide(two).thresholds);
}

// Not of folds, but of the same few rows: labels expected in a row where k was estimated elsewhere.
double expected_labels(const Dataset& data, double k) {
  TrainConfig config = config_of();
  config.k = k;
  config.k_is_estimated = true;
  Session session(data, config, 1);
  session.loop.run({});
  const Decisions decisions = decide(session);
  const std::vector<int32_t> rows = all_rows(data.train_file);
  Matrix<float> p(rows.size(), data.labels());
  session.model->predict(Part::kTrainFile, rows, 0, p.view());
  decisions.calibration.apply(0, p.view());
  double sum = 0;
  for (const float value : p.flat()) sum += static_cast<double>(value);
  return sum / static_cast<double>(rows.size());
}

TEST(Decide, LetsTheRunsOwnScoresOutweighAnEstimateOfK) {
  const Dataset data =
      small_data({.rows = 400, .labels = 12, .features = 12, .truth = false});  // k is 1.33
  const double own = expected_labels(data, 1.3);
  EXPECT_NEAR(own, 1.33, 0.15);
  EXPECT_EQ(expected_labels(data, 1.5), own);
  EXPECT_NEAR(expected_labels(data, 10), own, 0.15);
}

TEST(Decide, TakesTheMiddleOfTwoEstimatesOfKWhereScoresSayLittle) {
  const Dataset data = small_data({.rows = 400, .labels = 12, .features = 1, .truth = false});
  const double own = expected_labels(data, 3);
  EXPECT_GT(expected_labels(data, 11.5), 1.1 * own);
}

}  // namespace
}  // namespace spml
