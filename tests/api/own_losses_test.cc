// Losses as objects: those of the library, and one that is not.
#include <cmath>

#include "api/toy.h"
#include "testing.h"

namespace spml {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;

// Mean of (sigmoid(z) - o)^2 / 2 over entries with a known label.
class SquaredError : public Loss {
 public:
  using Loss::evaluate;
  double evaluate(const LossInput& in, const LossOutput& out) const override {
    double sum = 0;
    const double n = static_cast<double>(in.logits.size());
    for (size_t i = 0; i < in.logits.size(); ++i) {
      const double p = 1 / (1 + std::exp(-static_cast<double>(in.logits.data[i])));
      const double error = p - (in.observed.data[i] > 0 ? 1 : 0);
      sum += error * error / 2;
      if (!out.logits.empty()) {
        out.logits.data[i] = static_cast<float>(error * p * (1 - p) / n);
      }
    }
    return sum / n;
  }
  LossTraits traits() const override {
    LossTraits traits;
    traits.name = "squared";
    return traits;
  }
};

// The same, once more through the label estimates, which are pulled towards the classifier.
class WithEstimates : public SquaredError {
 public:
  using Loss::evaluate;
  double evaluate(const LossInput& in, const LossOutput& out) const override {
    for (size_t i = 0; i < in.estimates.size(); ++i) {
      out.estimates.data[i] =
          (in.estimates.data[i] - in.logits.data[i]) / static_cast<float>(in.estimates.size());
    }
    return SquaredError::evaluate(in, out);
  }
  LossTraits traits() const override {
    LossTraits traits;
    traits.name = "squared-with-estimates";
    traits.uses_estimates = true;
    traits.estimate_lr_factor = 3;
    return traits;
  }
};

TEST(Losses, AreDescribed) {
  std::vector<std::string> names;
  for (const LossDescription& loss : losses()) {
    names.push_back(loss.name);
    EXPECT_FALSE(loss.summary.empty()) << loss.name;
    EXPECT_FALSE(loss.formula.empty()) << loss.name;
    for (const ParameterDescription& p : loss.params) {
      EXPECT_FALSE(p.help.empty()) << loss.name << " " << p.name;
      EXPECT_FALSE(p.default_text.empty()) << loss.name << " " << p.name;
      EXPECT_LE(p.min, p.max) << loss.name << " " << p.name;
    }
  }
  EXPECT_THAT(names, Contains("role"));
  EXPECT_THAT(names, Contains("role+an-ls"));
  const LossDescription role = describe_loss("role");
  EXPECT_TRUE(role.needs_k);
  EXPECT_TRUE(role.uses_estimates);
  EXPECT_SPML_ERROR(describe_loss("rule"), HasSubstr("did you mean 'role'?"));
}

TEST(Losses, GiveValueAndGradients) {
  // an: -log f where observed, -log(1 - f) elsewhere; at z = 0 every entry is log 2, slope +-1/2.
  const auto loss = make_loss("an", {.labels = 2});
  const Matrix<float> logits(1, 2, {0, 0});
  const Matrix<int8_t> observed(1, 2, {1, 0});
  LossInput in;
  in.logits = logits;
  in.observed = observed;
  const LossValue<float> result = evaluate(*loss, in);
  EXPECT_NEAR(result.value, std::log(2.0), 1e-6);
  EXPECT_NEAR(result.dlogits(0, 0), -0.25, 1e-6);
  EXPECT_NEAR(result.dlogits(0, 1), 0.25, 1e-6);
  EXPECT_TRUE(result.destimates.empty());
}

TEST(Losses, GiveGradientsOfEstimatesInDoublePrecision) {
  const auto loss = make_loss("role", {.labels = 2, .k = 1.0});
  const Matrix<double> logits(1, 2, {0.5, -0.5}), estimates(1, 2, {0.25, 0});
  const Matrix<int8_t> observed(1, 2, {1, 0});
  BasicLossInput<double> in;
  in.logits = logits;
  in.estimates = estimates;
  in.observed = observed;
  const LossValue<double> result = evaluate(*loss, in);
  EXPECT_TRUE(std::isfinite(result.value));
  EXPECT_EQ(result.destimates.rows(), 1U);
  EXPECT_NE(result.destimates(0, 1), 0);
}

TEST(Losses, SayWhatTheyAskOfTheTrainer) {
  const LossTraits role = make_loss("role", {.labels = 3, .k = 1.0})->traits();
  EXPECT_EQ(role.name, "role");
  EXPECT_TRUE(role.uses_estimates);
  EXPECT_GT(role.estimate_lr_factor, 0);
  EXPECT_EQ(make_loss("bce", {.labels = 3})->traits().needs, LabelNeed::kTruth);
}

TEST(Losses, TrainOnTheLabelsTheyNeed) {
  const Matrix<int8_t> observed(1, 3, {1, 0, 0}), truth(1, 3, {1, 1, 0});
  const auto labels = [&](const char* name) {
    return labels_for(make_loss(name, {.labels = 3})->traits(), observed, truth);
  };
  EXPECT_EQ(labels("an"), observed);
  EXPECT_EQ(labels("bce"), Matrix<int8_t>(1, 3, {1, 1, -1}));
  EXPECT_EQ(labels("iun"), Matrix<int8_t>(1, 3, {1, 0, -1}));
  const LossTraits bce = make_loss("bce", {.labels = 3})->traits();
  EXPECT_SPML_ERROR(labels_for(bce, observed, {}), HasSubstr("needs full truth"));
  EXPECT_SPML_ERROR(labels_for(bce, {}, {}), HasSubstr("found neither"));
  EXPECT_SPML_ERROR(labels_for(bce, observed, Matrix<int8_t>(2, 3)), HasSubstr("of one shape"));
  EXPECT_SPML_ERROR(labels_for({}, {}, truth), HasSubstr("no observed labels"));
}

TEST(OwnLoss, Trains) {
  const Toy toy = make_toy();
  TrainOptions options = quick();
  options.loss = std::make_shared<SquaredError>();
  options.lr = 0.05;
  options.epochs = 10;
  const LinearClassifier model = train(toy.data(), options);
  EXPECT_EQ(model.result().loss, "squared");
  EXPECT_LT(model.result().history.back().train_loss, model.result().history.front().train_loss);
  EXPECT_GT(model.result().val_map, 60);
}

TEST(OwnLoss, MayHaveLabelEstimates) {
  const Toy toy = make_toy();
  TrainOptions options = quick();
  options.loss = std::make_unique<WithEstimates>();
  const LinearClassifier model = train(toy.data(), options);
  EXPECT_TRUE(model.result().history.front().khat_estimates.has_value());
  EXPECT_EQ(model.result().params.at("estimate_lr_factor"), 3);
}

TEST(OwnLoss, HasNoDoublePrecisionUnlessItIsWritten) {
  EXPECT_SPML_ERROR(evaluate(SquaredError(), BasicLossInput<double>{}),
                    HasSubstr("squared has no double-precision version"));
}

TEST(OwnLoss, TakesNoParametersByName) {
  const Toy toy = make_toy();
  TrainOptions options = quick();
  options.loss = std::make_shared<SquaredError>();
  options.params["alpha"] = 1;
  EXPECT_SPML_ERROR(train(toy.data(), options), HasSubstr("'alpha'"));
}

TEST(OwnLoss, OfTheTableTrainsAsItsNameDoes) {
  const Toy toy = make_toy();
  TrainOptions by_name = quick("role"), by_object = quick();
  by_name.k = 1.5;
  by_object.loss = make_loss("role", {.labels = 4, .k = 1.5});
  EXPECT_EQ(train(toy.data(), by_name).parts().weight, train(toy.data(), by_object).parts().weight);
}

}  // namespace
}  // namespace spml
