#include "suggest/suggest.h"

#include <fstream>

#include "data/synth.h"
#include "run/run.h"
#include "suggest/simulate.h"
#include "testing.h"

namespace spml {
namespace {

// A small data folder with one label of each row known, and a run on it.
class Suggest : public testing::Test {
 protected:
  Suggest() {
    SynthOptions synth;
    synth.rows = 600;
    synth.labels = 8;
    synth.features = 32;
    synth.expected_positives = 2;
    write_synthetic(folder.path(), synth);
    data = open_dataset(folder.path());
    config.loss = "an";
    config.epochs = 5;
    config.lr = 0.01;
    config.transform = TransformKind::kSqrt;
  }

  TrainedModel run() {
    RunOptions options;
    options.out = folder / "run";
    run_training(data, config, options);
    return load_trained_model(options.out, 1);
  }
  // Labels that are there and not known.
  size_t hidden() const {
    const Matrix<int8_t> known = observed_labels(data, config);
    std::vector<int8_t> row(data.labels());
    size_t count = 0;
    for (size_t i = 0; i < known.rows(); ++i) {
      data.train_file.truth.read_row(i, row);
      for (size_t j = 0; j < row.size(); ++j) count += row[j] > 0 && known(i, j) == 0;
    }
    return count;
  }
  double precision(const std::vector<Suggestion>& list) const {
    std::vector<int8_t> row(data.labels());
    double yes = 0;
    for (const Suggestion& one : list) {
      data.train_file.truth.read_row(static_cast<size_t>(one.row), row);
      yes += row[static_cast<size_t>(one.label)];
    }
    return yes / static_cast<double>(list.size());
  }

  TemporaryFolder folder;
  Dataset data;
  TrainConfig config;
};

bool same(const Suggestions& a, const Suggestions& b) {
  return std::ranges::equal(a.list, b.list, [](const Suggestion& x, const Suggestion& y) {
    return x.row == y.row && x.label == y.label && x.score == y.score;
  });
}

TEST_F(Suggest, FindsHiddenLabelsAndSaysHowManyThereAre) {
  TrainedModel trained = run();
  for (const size_t folds : {0, 3}) {
    SuggestOptions options;
    options.folds = folds;
    options.ranking.top = 100;
    const Suggestions found = suggest(data, trained, options);
    ASSERT_EQ(found.list.size(), 100);
    const auto unknown = static_cast<double>(600 * 8 - 600);
    const auto chance = static_cast<double>(hidden()) / unknown;
    EXPECT_GT(precision(found.list), 2.5 * chance) << folds;
    EXPECT_GT(found.expected_missing, 0.5 * static_cast<double>(hidden())) << folds;
    EXPECT_LT(found.expected_missing, 2.0 * static_cast<double>(hidden())) << folds;
    double sum = 0;
    size_t listed = 0;
    for (const ClassSuggestions& one : found.per_class) {
      sum += one.expected_missing;
      listed += one.listed;
    }
    EXPECT_NEAR(sum, found.expected_missing, 1e-9);
    EXPECT_EQ(listed, 100);
  }
}

TEST_F(Suggest, TheNumberOfThreadsChangesNothing) {
  TrainedModel trained = run();
  SuggestOptions one, three;
  one.folds = three.folds = 3;
  one.threads = 1;
  three.threads = 3;
  EXPECT_TRUE(same(suggest(data, trained, one), suggest(data, trained, three)));
}

TEST_F(Suggest, TheTruthIsNotLookedAt) {
  TrainedModel trained = run();
  SuggestOptions options;
  options.folds = 3;
  const Suggestions with = suggest(data, trained, options);
  std::filesystem::remove(truth_file(folder.path(), "train"));
  data = open_dataset(folder.path());
  EXPECT_TRUE(same(with, suggest(data, trained, options)));
}

TEST_F(Suggest, ARunOnFullLabelsHasNothingToSuggest) {
  config.loss = "bce";
  TrainedModel trained = run();
  EXPECT_SPML_ERROR(suggest(data, trained, {}), testing::HasSubstr("'bce'"));
}

TEST_F(Suggest, WhatIsWrongWithARunIsAnErrorOfItsFile) {
  const TrainConfig good = config;
  TrainedModel trained = run();
  const auto refused = [&](const std::string& why) {
    try {
      suggest(data, trained, {});
      ADD_FAILURE() << "expected an Error: " << why;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(),
                  testing::AllOf(testing::HasSubstr("run/config.json"), testing::HasSubstr(why)));
      EXPECT_EQ(error.kind(), Error::Kind::kFailed);
    }
    trained.config = good;
  };
  trained.config.params["zz"] = 1;
  refused("'zz'");
  trained.config.mode = Mode::kFinetune;
  refused("expected a linear run");
  trained.config.loss = "bce";
  refused("full labels");
  trained.config.own_loss = recorded_loss("mine", false);
  refused("--folds 0");
}

TEST_F(Suggest, AStopIsAnsweredWithAnInterruption) {
  TrainedModel trained = run();
  SuggestEvents events;
  events.stop_requested = [] { return true; };
  for (const size_t folds : {0, 5}) {
    SuggestOptions options;
    options.folds = folds;
    try {
      suggest(data, trained, options, events);
      ADD_FAILURE() << "expected an Error, folds " << folds;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::kInterrupted);
    }
  }
}

TEST_F(Suggest, ASimulatedReviewFindsMoreThanChanceAndNothingTwice) {
  SimulateOptions options;
  options.folds = 3;
  options.budget = 400;
  options.every = 200;
  options.threads = 2;
  const Simulation result = simulate(data, config, options);
  EXPECT_EQ(result.rows, 480);
  EXPECT_EQ(result.unknown, 480 * 7);
  for (const auto* curve : {&result.rounds, &result.random, &result.an}) {
    ASSERT_EQ(curve->size(), 3);
    EXPECT_EQ(curve->front().answers, 0);
    EXPECT_EQ(curve->front().found, 0);
    EXPECT_FALSE(curve->front().precision);
    EXPECT_EQ(curve->back().answers, 400);
    const SimulationRound& last = curve->back();
    EXPECT_NEAR(last.found * static_cast<double>(result.hidden), *last.precision * 400, 1e-6);
    EXPECT_LE((*curve)[1].found, last.found);
    EXPECT_TRUE(last.test_map);
  }
  EXPECT_GT(result.rounds.back().found, 1.5 * result.random.back().found);
}

TEST_F(Suggest, ASimulationEndsWhenEverythingIsKnown) {
  SimulateOptions options;
  options.folds = 2;
  options.budget = 100000;
  options.every = 2000;
  options.refresh = 2000;
  const Simulation result = simulate(data, config, options);
  EXPECT_EQ(result.rounds.back().answers, 480 * 7);
  EXPECT_DOUBLE_EQ(result.rounds.back().found, 1);
}

TEST_F(Suggest, ASimulationNeedsTruth) {
  std::filesystem::remove(truth_file(folder.path(), "train"));
  data = open_dataset(folder.path());
  EXPECT_SPML_ERROR(simulate(data, config, {}), testing::HasSubstr("truth"));
}

}  // namespace
}  // namespace spml
