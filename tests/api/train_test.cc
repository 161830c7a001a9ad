// Training through the public interface: options, callbacks, stopping, results.
#include "api/toy.h"
#include "base/float16.h"
#include "testing.h"

namespace spml {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(Train, LearnsFromOnePositivePerRow) {
  const Toy toy = make_toy(400);
  TrainOptions options = quick("role", 20);
  options.k = 1.8;
  const LinearClassifier model = train(toy.data(), options);
  EXPECT_GT(mean_average_precision(model.predict(toy.features), toy.truth).map, 85);
}

TEST(Train, ReportsWhatResultJsonHas) {
  const Toy toy = make_toy(), test = make_toy(60, 8, 4, 1);
  TrainingData data = toy.data();
  data.test_features = test.features;
  data.test_truth = test.truth;
  TrainOptions options = quick("wan", 4);
  options.seed = 7;
  const TrainingResult result = train(data, options).result();
  EXPECT_EQ(result.loss, "wan");
  EXPECT_EQ(result.mode, "linear");
  EXPECT_EQ(result.lr, 0.01);
  EXPECT_EQ(result.batch, 16U);
  EXPECT_EQ(result.epochs, 4);
  EXPECT_EQ(result.seed, 7U);
  EXPECT_EQ(result.params.count("gamma"), 1U);
  EXPECT_EQ(result.transform, "none");
  EXPECT_EQ(result.average, 1);
  EXPECT_EQ(result.steps, 4U * (160 / 16));
  ASSERT_THAT(result.history, SizeIs(4));
  EXPECT_EQ(result.history.back().epoch, 4);
  EXPECT_EQ(result.val_map, result.history[static_cast<size_t>(result.best_epoch) - 1].val_map);
  EXPECT_TRUE(result.train_map.has_value());
  EXPECT_TRUE(result.test_map.has_value());
  EXPECT_THAT(result.per_class_ap, SizeIs(4));
  EXPECT_GT(result.seconds, 0);
}

TEST(Train, WithoutTruthSelectsOnObservedLabelsAndSaysSo) {
  const Toy toy = make_toy();
  TrainingData data = toy.data();
  data.truth = {};
  std::vector<std::string> notices;
  TrainOptions options = quick();
  options.on_notice = [&](const std::string& text) { notices.push_back(text); };
  const TrainingResult result = train(data, options).result();
  EXPECT_FALSE(result.train_map.has_value());
  EXPECT_FALSE(result.test_map.has_value());
  EXPECT_THAT(notices, ElementsAre(HasSubstr("selecting on observed labels"),
                                   HasSubstr("4 more classifiers to calibrate by")));
}

TEST(Train, GivesTheSameModelForAnyNumberOfThreads) {
  const Toy toy = make_toy(300, 16, 6);
  TrainOptions one = quick("role"), many = quick("role");
  one.k = many.k = 1.5;
  many.threads = 3;
  EXPECT_EQ(train(toy.data(), one).parts().weight, train(toy.data(), many).parts().weight);
}

TEST(Train, UsesHalfPrecisionFeaturesWhereTheyLie) {
  Toy toy = make_toy();
  std::vector<uint16_t> bits;
  for (float& x : toy.features.flat()) {
    bits.push_back(float_to_half(x));
    x = half_to_float(bits.back());
  }
  TrainingData halves = toy.data();
  halves.features = Features::float16({bits.data(), toy.features.rows(), toy.features.cols()});
  const LinearClassifier from_floats = train(toy.data(), quick());
  const LinearClassifier from_halves = train(halves, quick());
  EXPECT_EQ(from_floats.parts().weight, from_halves.parts().weight);
  EXPECT_EQ(from_floats.predict(toy.features), from_halves.predict(halves.features));
}

TEST(Train, TakesObservedNegatives) {
  const Toy toy = make_toy();
  const Matrix<int8_t> observed = draw_observed(toy.truth, {.num_pos = 1, .num_neg = 1});
  TrainingData data = toy.data();
  data.observed = observed;
  data.truth = {};
  EXPECT_EQ(train(data, quick("iu")).result().loss, "iu");
  data.observed = toy.observed;
  EXPECT_SPML_ERROR(train(data, quick("iu")), HasSubstr("needs observed negatives"));
}

TEST(Train, TellsOfEveryStepAndEpoch) {
  const Toy toy = make_toy();
  std::vector<int> epochs;
  std::vector<uint64_t> steps;
  StepProgress last;
  TrainOptions options = quick("an", 2);
  options.on_epoch = [&](const EpochRecord& record) { epochs.push_back(record.epoch); };
  options.on_step = [&](const StepProgress& progress) {
    steps.push_back(progress.step);
    last = progress;
  };
  train(toy.data(), options);
  EXPECT_THAT(epochs, ElementsAre(1, 2));
  EXPECT_THAT(steps, SizeIs(20));
  EXPECT_EQ(last.step, 20U);
  EXPECT_EQ(last.total, 20U);
  EXPECT_EQ(last.epoch, 2);
}

TEST(Train, StopsWhenAsked) {
  const Toy toy = make_toy();
  const auto steps_until = [&](TrainOptions options, uint64_t& steps) {
    options.epochs = 100;
    const auto before = options.on_step;
    options.on_step = [&, before](const StepProgress& progress) {
      steps = progress.step;
      if (before) before(progress);
    };
    try {
      train(toy.data(), options);
      ADD_FAILURE() << "expected an spml::Error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::kInterrupted);
    }
  };
  uint64_t steps = 0;
  std::stop_source source;
  TrainOptions by_token = quick();
  by_token.stop = source.get_token();
  by_token.on_step = [&](const StepProgress& progress) {
    if (progress.step == 3) source.request_stop();
  };
  steps_until(by_token, steps);
  EXPECT_EQ(steps, 3U);
  TrainOptions by_callback = quick();
  by_callback.stop_requested = [&] { return steps == 5; };
  steps_until(by_callback, steps);
  EXPECT_EQ(steps, 5U);
}

TEST(Train, LetsExceptionsOfCallbacksThrough) {
  const Toy toy = make_toy();
  TrainOptions options = quick();
  options.on_step = [](const StepProgress&) { throw std::logic_error("mine"); };
  EXPECT_THROW(train(toy.data(), options), std::logic_error);
}

TEST(Train, RecordsUnobservedPositivesWhenAsked) {
  const Toy toy = make_toy();
  TrainOptions options = quick();
  options.record_unobserved_positives = true;
  EXPECT_THAT(train(toy.data(), options).result().history.front().unobserved_positives, SizeIs(50));
}

TEST(Train, HasEveryEstimator) {
  const Toy toy = make_toy();
  for (const EstimatorKind kind :
       {EstimatorKind::kTable, EstimatorKind::kFactored, EstimatorKind::kNetwork}) {
    TrainOptions options = quick("role", 2);
    options.k = 1.5;
    options.estimator = {.kind = kind, .rank = 2, .hidden = 4};
    EXPECT_TRUE(train(toy.data(), options).result().history.back().khat_estimates.has_value());
  }
}

TEST(Train, RefusesArraysThatDoNotFitTogether) {
  const Toy toy = make_toy(), other = make_toy(100);
  TrainingData data = toy.data();
  data.observed = other.observed;
  EXPECT_SPML_ERROR(train(data, quick()), HasSubstr("rows"));
  data = toy.data();
  data.features = {};
  EXPECT_SPML_ERROR(train(data, quick()), HasSubstr("expected features"));
  EXPECT_SPML_ERROR(train(TrainingData{}, quick()), HasSubstr("expected labels"));
  data = toy.data();
  data.classes = {"one"};
  EXPECT_SPML_ERROR(train(data, quick()), HasSubstr("class names"));
  Toy bad = toy;
  bad.features(3, 2) = std::numeric_limits<float>::infinity();
  EXPECT_SPML_ERROR(train(bad.data(), quick()), AllOf(HasSubstr("row 3"), HasSubstr("column 2")));
}

TEST(Train, RefusesSettingsOutOfRange) {
  const Toy toy = make_toy();
  const auto refuses = [&](auto change, const char* name) {
    TrainOptions options = quick();
    change(options);
    EXPECT_SPML_ERROR(train(toy.data(), options), HasSubstr(name));
  };
  refuses([](TrainOptions& o) { o.lr = -1; }, "lr");
  refuses([](TrainOptions& o) { o.lr = std::numeric_limits<double>::quiet_NaN(); }, "lr");
  refuses([](TrainOptions& o) { o.batch = 0; }, "batch");
  refuses([](TrainOptions& o) { o.batch = 1000; }, "batch");
  refuses([](TrainOptions& o) { o.epochs = 0; }, "epochs");
  refuses([](TrainOptions& o) { o.val_fraction = 2; }, "val");
  refuses([](TrainOptions& o) { o.weight_decay = -1; }, "weight");
  refuses([](TrainOptions& o) { o.patience = -1; }, "patience");
  refuses([](TrainOptions& o) { o.subsample = -0.5; }, "subsample");
  refuses([](TrainOptions& o) { o.threads = -1; }, "threads");
  refuses([](TrainOptions& o) { o.loss = "rolle"; }, "did you mean 'role'");
  refuses([](TrainOptions& o) { o.params["alpha"] = 1; }, "alpha");
}

}  // namespace
}  // namespace spml
