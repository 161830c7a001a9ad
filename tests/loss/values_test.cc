// Values and gradients computed by hand. All logits below are +-log(3) or 0, so that f is 3/4, 1/4
// or 1/2 and every number is a fraction or the logarithm of one.
#include <gtest/gtest.h>

#include <cmath>

#include "batch.h"

namespace spml {
namespace {

const double kLog3 = std::log(3.0), kLog2 = std::log(2.0), kLog4 = std::log(4.0);
const double kLog43 = std::log(4.0 / 3.0);  // -log(3/4)

// Row 0: f = 3/4 (+1), 1/4 (0), 1/2 (-1). Row 1: f = 1/2 (0), 1/4 (+1), 3/4 (0).
Batch two_rows() {
  Batch batch(2, 3);
  batch.z = {kLog3, -kLog3, 0, 0, -kLog3, kLog3};
  batch.u = {0, kLog3, -kLog3, kLog3, -kLog3, 0};
  batch.observed = {1, 0, -1, 0, 1, 0};
  return batch;
}

Result<double> evaluate(std::string_view name, LossParameters params = {}) {
  return two_rows().evaluate<double>(
      *make_loss(name, {.labels = 3, .k = 1.5, .params = std::move(params)}));
}

void expect_result(const Result<double>& result, double value, const std::vector<double>& dz) {
  EXPECT_NEAR(result.value, value, 1e-14);
  for (size_t i = 0; i < dz.size(); ++i) EXPECT_NEAR(result.dz[i], dz[i], 1e-14) << "entry " << i;
}

const double kAnSum = kLog43 + kLog43 + kLog2 + kLog2 + kLog4 + kLog4;
const std::vector<double> kAnGradient = {-1 / 24., 1 / 24., 1 / 12., 1 / 12., -1 / 8., 1 / 8.};

TEST(LossValue, An) { expect_result(evaluate("an"), kAnSum / 6, kAnGradient); }

TEST(LossValue, BceCountsEverythingButPositivesAsNegative) {
  expect_result(evaluate("bce"), kAnSum / 6, kAnGradient);
}

TEST(LossValue, BceLsSmoothsBothSides) {
  // eps_p = 0.4: positives weigh (0.8, 0.2); eps_n = 0.2: the others weigh (0.1, 0.9).
  const double sum = 0.8 * kLog43 + 0.2 * kLog4 + 0.9 * kLog43 + 0.1 * kLog4 + kLog2 + kLog2 +
                     0.8 * kLog4 + 0.2 * kLog43 + 0.9 * kLog4 + 0.1 * kLog43;
  // dz = p - weight of log p.
  const std::vector<double> dz = {-0.05 / 6, 0.15 / 6, 0.4 / 6, 0.4 / 6, -0.55 / 6, 0.65 / 6};
  expect_result(evaluate("bce-ls", {{"eps", 0.2}, {"eps_p", 0.4}}), sum / 6, dz);
}

TEST(LossValue, AnLsSmoothsAllButKnownNegatives) {
  // As above, but (0, 1) at the third entry: f = 1/2 costs log 2 either way, its slope is 1/2.
  const double sum = 0.8 * kLog43 + 0.2 * kLog4 + 0.9 * kLog43 + 0.1 * kLog4 + kLog2 + kLog2 +
                     0.8 * kLog4 + 0.2 * kLog43 + 0.9 * kLog4 + 0.1 * kLog43;
  expect_result(evaluate("an-ls", {{"eps_p", 0.4}, {"eps_n", 0.2}}), sum / 6,
                {-0.05 / 6, 0.15 / 6, 0.5 / 6, 0.4 / 6, -0.55 / 6, 0.65 / 6});
}

TEST(LossValue, WanWeighsAssumedNegativesByOneOverLMinusOne) {
  const double sum = kLog43 + kLog4 + kLog2 + 0.5 * (kLog43 + kLog2 + kLog4);
  expect_result(evaluate("wan"), sum / 6, {-1 / 24., 1 / 48., 1 / 12., 1 / 24., -1 / 8., 1 / 16.});
}

TEST(LossValue, IuIgnoresUnknownLabels) {
  const double sum = kLog43 + kLog2 + kLog4;
  const std::vector<double> dz = {-1 / 24., 0, 1 / 12., 0, -1 / 8., 0};
  expect_result(evaluate("iu"), sum / 6, dz);
  expect_result(evaluate("iun"), sum / 6, dz);
}

TEST(LossValue, EprAddsTheRegulariser) {
  // khat = (1.5 + 1.5) / 2 = 1.5; with k = 0.9 (khat - k)/L = 0.2.
  const Batch batch = two_rows();
  const auto loss =
      make_loss("epr", {.labels = 3, .k = 0.9, .params = {{"lambda", 2}, {"positive_scale", 3}}});
  const double value = 3 * (kLog43 + kLog2 + kLog4) / 6 + 2 * 0.04;
  const double slope = 2 * 2 * 0.2 / 6;  // times p(1-p)
  expect_result(batch.evaluate<double>(*loss), value,
                {-1 / 8. + slope * 3 / 16, slope * 3 / 16, 1 / 4. + slope / 4, slope / 4,
                 -3 / 8. + slope * 3 / 16, slope * 3 / 16});
}

TEST(LossValue, Role) {
  // k = 1.5 = khat of both sides: no regulariser. e = 1/2, 3/4, 1/4 and 3/4, 1/4, 1/2.
  const auto result = evaluate("role", {{"positive_scale", 1}});
  const double f_side = (0.5 * kLog43 + 0.5 * kLog4) + kLog43 +   // f = 3/4, e = 1/2, +1
                        (0.75 * kLog4 + 0.25 * kLog43) +          // f = 1/4, e = 3/4
                        kLog2 + kLog2 +                           // f = 1/2, e = 1/4, -1
                        kLog2 +                                   // f = 1/2, e = 3/4
                        (0.25 * kLog4 + 0.75 * kLog43) + kLog4 +  // f = 1/4, e = 1/4, +1
                        (0.5 * kLog43 + 0.5 * kLog4);             // f = 3/4, e = 1/2
  const double e_side = kLog2 + kLog2 +                           // e = 1/2, f = 3/4, +1
                        (0.25 * kLog43 + 0.75 * kLog4) +          // e = 3/4, f = 1/4
                        (0.5 * kLog4 + 0.5 * kLog43) + kLog43 +   // e = 1/4, f = 1/2, -1
                        (0.5 * kLog43 + 0.5 * kLog4) +            // e = 3/4, f = 1/2
                        (0.25 * kLog4 + 0.75 * kLog43) + kLog4 +  // e = 1/4, f = 1/4, +1
                        kLog2;                                    // e = 1/2, f = 3/4
  expect_result(
      result, (f_side + e_side) / 12,
      {(0.25 - 0.25) / 12, -0.5 / 12, (0.25 + 0.5) / 12, -0.25 / 12, -0.75 / 12, 0.25 / 12});
  const std::vector<double> du = {(-0.25 - 0.5) / 12, 0.5 / 12,   (-0.25 + 0.25) / 12,
                                  0.25 / 12,          -0.75 / 12, -0.25 / 12};
  for (size_t i = 0; i < du.size(); ++i) EXPECT_NEAR(result.du[i], du[i], 1e-14) << i;
}

TEST(LossValue, RoleRegularisesBothSides) {
  const double k = 0.9, lambda = 2;
  const Batch batch = two_rows();
  const auto without = make_loss("role", {.labels = 3, .k = k, .params = {{"lambda", 0}}});
  const auto with = make_loss("role", {.labels = 3, .k = k, .params = {{"lambda", lambda}}});
  const auto a = batch.evaluate<double>(*without), b = batch.evaluate<double>(*with);
  EXPECT_NEAR(b.value - a.value, lambda * 0.04, 1e-14);  // half of it from each side
  EXPECT_NEAR(b.dz[2] - a.dz[2], 0.5 * (2 * lambda * 0.2 / 6) / 4, 1e-14);
  EXPECT_NEAR(b.du[0] - a.du[0], 0.5 * (2 * lambda * 0.2 / 6) / 4, 1e-14);
}

TEST(LossValue, PrSumsOverPairs) {
  // Row 0: (1 - 3/4 + 1/4) + (1 - 3/4 + 1/2); row 1: (1 - 1/4 + 1/2) + (1 - 1/4 + 3/4); and f = 1/2
  // once more for the known negative.
  expect_result(evaluate("pr"), (0.5 + 0.75 + 1.25 + 1.5 + 0.5) / 6,
                {-2 * 3 / 96., 3 / 96., 8 / 96., 4 / 96., -2 * 3 / 96., 3 / 96.});
}

TEST(LossValue, PrUsesKnownNegativesOfARowWithoutPositives) {
  Batch batch(1, 2);
  batch.z = {kLog3, kLog3};
  batch.observed = {-1, 0};
  const auto loss = make_loss("pr", {.labels = 2, .k = {}, .params = {}});
  expect_result(batch.evaluate<double>(*loss), 0.75 / 2, {3 / 32., 0});
}

TEST(LossValue, WanSampledWithOneUnknownLabelIsCertain) {
  Batch batch = two_rows();
  batch.observed = {1, 0, -1, 1, 1, 1};  // row 1 has nothing to sample
  const auto result =
      batch.evaluate<double>(*make_loss("wan-sampled", {.labels = 3, .k = {}, .params = {}}));
  // Entry 1 is the only unknown label, entry 2 a known negative of f = 1/2.
  expect_result(result, (kLog43 + kLog43 + kLog2 + kLog2 + kLog4 + kLog43) / 6,
                {-1 / 24., 1 / 24., 1 / 12., -1 / 12., -1 / 8., -1 / 24.});
}

TEST(LossValue, LogEpsilonIsAddedInsideTheLogarithm) {
  const double eps = 0.25;  // f + eps = 1, 1/2, 3/4
  const auto result = evaluate("iu", {{"log_epsilon", eps}});
  // f = 3/4 (+1): -log 1; f = 1/2 (-1): -log 3/4; f = 1/4 (+1): -log 1/2.
  expect_result(result, (0 + kLog43 + kLog2) / 6,
                {-(3 / 16.) / 6, 0, (1 / 4. / 0.75) / 6, 0, -(3 / 16. / 0.5) / 6, 0});
}

TEST(LossValue, FocalWeighsByThePowerOfTheOtherProbability) {
  // gamma = 2: weights (1/4)^2 and (1/4)^2, then 1 at the known negative, 1/4 at f = 1/2, (3/4)^2
  // at the rest.
  const double sum = kLog43 / 16 + kLog43 / 16 + kLog2 + kLog2 / 4 + 9 * kLog4 / 16 * 2;
  // Positive: (1-p)^2 (2 p log p - (1-p)); negative: p^2 (p - 2 (1-p) log(1-p)).
  const double easy = (2 * 0.75 * kLog43 + 0.25) / 16, hard = 9 * (2 * 0.25 * kLog4 + 0.75) / 16;
  const double even = (kLog2 + 0.5) / 4;
  expect_result(evaluate("focal"), sum / 6,
                {-easy / 6, easy / 6, 1 / 12., even / 6, -hard / 6, hard / 6});
}

TEST(LossValue, AslCutsEasyAssumedNegativesOff) {
  // clip 1/4: c = 0, 1/4 and 1/2 at f = 1/4, 1/2 and 3/4; gamma_neg = 1. The known negative is a
  // plain one.
  LossParameters params = {{"clip", 0.25}, {"gamma_neg", 1}};
  const double sum = kLog43 + 0 + kLog2 + kLog43 / 4 + kLog4 + kLog2 / 2;
  // c / (1-c) * f (1-f).
  const double middle = 1 / 12., high = 3 / 16.;
  expect_result(evaluate("asl", params), sum / 6,
                {-0.25 / 6, 0, 0.5 / 6, middle / 6, -0.75 / 6, high / 6});
  params["detach"] = 0;  // and -log(1-c) f (1-f)
  const double middle_all = middle + kLog43 / 4, high_all = high + kLog2 * 3 / 16;
  expect_result(evaluate("asl", params), sum / 6,
                {-0.25 / 6, 0, 0.5 / 6, middle_all / 6, -0.75 / 6, high_all / 6});
}

TEST(LossValue, HillLeavesConfidentUnknownLabelsAlone) {
  // margin = 0; unknown: (1.5 - f) f^2 with derivative 3 f^2 (1-f)^2.
  const double sum = kLog43 / 16 + 1.25 / 16 + kLog2 / 4 + 1 / 4. + 9 * kLog4 / 16 + 0.75 * 9 / 16;
  const double easy = (2 * 0.75 * kLog43 + 0.25) / 16, hard = 9 * (2 * 0.25 * kLog4 + 0.75) / 16;
  expect_result(
      evaluate("hill", {{"margin", 0}}), sum / 6,
      {-easy / 6, 27 / 256. / 6, (kLog2 + 0.5) / 4 / 6, 3 / 16. / 6, -hard / 6, 27 / 256. / 6});
}

TEST(LossValue, MarginMovesObservedPositives) {
  // f = 1/2 of z = log 3 less a margin of log 3; unknown labels do not move.
  Batch batch(1, 2);
  batch.z = {kLog3, 0};
  batch.observed = {1, 0};
  const LossParameters params = {{"margin", kLog3}, {"gamma", 0}};
  for (const std::string_view name : {"hill", "splc"}) {
    const auto loss = make_loss(name, {.labels = 2, .k = {}, .params = params});
    const auto result = batch.evaluate<double>(*loss);
    EXPECT_NEAR(result.value, (kLog2 + (name == "hill" ? 0.25 : kLog2)) / 2, 1e-14);
    EXPECT_NEAR(result.dz[0], -0.25, 1e-14);
  }
}

TEST(LossValue, SplcFlipsConfidentUnknownLabelsFromTheSecondEpoch) {
  Batch batch = two_rows();
  const auto loss =
      make_loss("splc", {.labels = 3, .k = {}, .params = {{"gamma", 0}, {"margin", 0}}});
  expect_result(batch.evaluate<double>(*loss), kAnSum / 6, kAnGradient);
  batch.epoch = 2;  // the last entry, f = 3/4, becomes a positive
  expect_result(batch.evaluate<double>(*loss), (kAnSum - kLog4 + kLog43) / 6,
                {-1 / 24., 1 / 24., 1 / 12., 1 / 12., -1 / 8., -1 / 24.});
  batch.observed[5] = -1;  // not when it is known to be a negative
  expect_result(batch.evaluate<double>(*loss), kAnSum / 6, kAnGradient);
}

TEST(LossValue, EmRewardsEntropy) {
  const double entropy = 0.25 * kLog4 + 0.75 * kLog43;
  const double sum = kLog43 - 0.2 * entropy + 0.1 * kLog2 - 0.2 * kLog2 + kLog4 - 0.2 * entropy;
  const double pull = 0.2 * kLog3 * 3 / 16;
  expect_result(evaluate("em"), sum / 6, {-1 / 24., -pull / 6, 1 / 120., 0, -1 / 8., pull / 6});
}

// f = 3/4, 1/4; 1/2, 1/2 for two labels, observed +1, 0; 0, -1, after the warm-up.
Result<double> evaluate_risk(std::string_view name, std::vector<double> priors,
                             std::vector<double> shares) {
  Batch batch(2, 2);
  batch.z = {kLog3, -kLog3, 0, 0};
  batch.observed = {1, 0, 0, -1};
  batch.priors = std::move(priors);
  batch.shares = std::move(shares);
  batch.epoch = batch.epochs = 5;
  return batch.evaluate<double>(*make_loss(name, {.labels = 2, .k = {}, .params = {}}));
}

TEST(LossValue, CrispCountsAPositiveByTheDataSetsShare) {
  // Label 0: 1 in 8 rows is observed positive, so one of 2 rows counts 1 / (2/8) = 4:
  // 2 * 0.5 * 4 * 1/4 + |5/8 - 0.5|. Label 1: no positive; |3/8 - 0.5|, and its known negative 1/4.
  const auto result = evaluate_risk("crisp", {0.5, 0.5}, {0.125, 0.5});
  // Slopes p(1-p): 3/16, 3/16; 1/4, 1/4. Label 0: -1 * 4 * slope + slope/2; label 1: -slope/2, and
  // as much again the other way where the negative is known.
  expect_result(result, (1 + 0.125 + 0.125 + 0.25) / 2,
                {(-4 + 0.5) * 3 / 32, -0.5 * 3 / 32, 0.5 / 8, 0});
}

TEST(LossValue, CrispWithoutADataSetTakesTheBatchForIt) {
  const auto alone = evaluate_risk("crisp", {0.5, 0.5}, {});
  const auto same = evaluate_risk("crisp", {0.5, 0.5}, {0.5, 0});
  expect_result(alone, same.value, same.dz);
  EXPECT_NEAR(alone.value, (0.25 + 0.125 + 0.125 + 0.25) / 2, 1e-14);
}

TEST(LossValue, NnpuCountsAPositiveByTheDataSetsShare) {
  // Label 0, prior 1/8, share 1/4: a positive counts 2. P+ = 2 log 4/3, P- = 2 log 4.
  // N = (log 4 + log 2)/2 - P-/8 > 0. Label 1: no positive, N = (log 4/3 + log 2)/2, and log 2 / 2
  // for the known negative.
  const auto result = evaluate_risk("nnpu", {0.125, 0.5}, {0.25, 0.5});
  const double label0 = kLog43 / 4 + (kLog4 + kLog2) / 2 - kLog4 / 4;
  const double label1 = (kLog43 + kLog2) / 2 + kLog2 / 2;
  // By z: -(1-f)/4 of P+, f/2 of the mean, -f/4 of P-.
  expect_result(result, (label0 + label1) / 2,
                {(-0.0625 + 0.375 - 0.1875) / 2, 0.125 / 2, 0.25 / 2, 0.5 / 2});
}

TEST(LossValue, NnpuRaisesANegativeRisk) {
  // Prior 1, share 1/4: N = (log 4 + log 2)/2 - 2 log 4 < 0, so the risk of label 0 is -N.
  const auto result = evaluate_risk("nnpu", {1, 0}, {0.25, 0.5});
  const double label0 = 2 * kLog4 - (kLog4 + kLog2) / 2;
  expect_result(result, (label0 + (kLog43 + kLog2) / 2 + kLog2 / 2) / 2,
                {(1.5 - 0.375) / 2, 0.125 / 2, -0.25 / 2, 0.5 / 2});
}

TEST(LossValue, AKnownNegativeIsNotAnUnknownLabel) {
  // Every loss that sees observed labels, but for an and those solved for with gamma 1, which take
  // every unknown label for a known negative, and for bce and its like, for which nothing is
  // unknown. In the third epoch of 3.
  Batch known = two_rows(), unknown = two_rows();
  unknown.observed[2] = 0;
  known.z[2] = unknown.z[2] = kLog3;
  known.epoch = unknown.epoch = known.epochs = unknown.epochs = 3;
  for (const LossInfo* info : all_losses()) {
    EXPECT_FALSE(info->negatives.empty()) << info->name;
    const bool same = info->name == "an" || info->name == "bce" || info->name == "bce-ls" ||
                      info->name == "self-training" || info->name == "logistic" ||
                      info->name == "squared-hinge";
    const auto loss = make_loss(info->name, {.labels = 3, .k = 1.5, .params = {}});
    const auto with = known.evaluate<double>(*loss), without = unknown.evaluate<double>(*loss);
    EXPECT_EQ(with.dz[2] == without.dz[2], same) << info->name;
    EXPECT_GT(with.dz[2], 0) << info->name;
  }
}

TEST(LossValue, EmPullsLessWhereRowsHaveMorePositives) {
  const auto alpha = [](std::optional<double> k) {
    return resolve_parameters(find_loss("em"), {.labels = 40, .k = k, .params = {}}).at("alpha");
  };
  EXPECT_DOUBLE_EQ(alpha(3), 0.1);
  EXPECT_DOUBLE_EQ(alpha(30), 0.01);
  EXPECT_DOUBLE_EQ(alpha(0.5), 0.3);
  EXPECT_DOUBLE_EQ(alpha(std::nullopt), 0.2);
}

TEST(LossValue, GrEndsSharperWhereRowsHaveMorePositives) {
  const auto ends = [](std::optional<double> k, LossParameters params = {}) {
    const auto all = resolve_parameters(find_loss("gr"), {.labels = 40, .k = k, .params = params});
    return std::pair(all.at("wT"), all.at("bT"));
  };
  EXPECT_EQ(ends(std::nullopt), std::pair(2.0, -2.0));
  EXPECT_EQ(ends(0.5), std::pair(2.0, -2.0));
  EXPECT_EQ(ends(1.5), std::pair(6.0, -5.0));
  EXPECT_EQ(ends(30), std::pair(10.0, -8.0));
  EXPECT_EQ(ends(30, {{"wT", 2}}), std::pair(2.0, -2.0));
}

TEST(LossValue, GrFollowsItsSchedules) {
  // q2 = 2, q3 = 1, w = 0: K = sigmoid(b). In epoch 2 of 2, b is half way, 0, so K = 1/2, and mu
  // and sig are at their ends.
  Batch batch = two_rows();
  batch.epoch = batch.epochs = 2;
  const auto loss = make_loss(
      "gr",
      {.labels = 3,
       .k = {},
       .params = {
           {"wT", 0}, {"b0", -2}, {"bT", 2}, {"muT", 0.5}, {"sigT", 0.25}, {"q2", 2}, {"q3", 1}}});
  const double away = std::exp(-0.5);  // V at f = 1/2 +- 1/4
  // V/2 [(1 - f^2)/2 + f], derivative V/2 [-f^2 (1-f) + f (1-f)].
  const double low = away / 2 * (15 / 32. + 0.25), even = (3 / 8. + 0.5) / 2;
  const double high = away / 2 * (7 / 32. + 0.75);
  const double sum = kLog43 + low + kLog2 + even + kLog4 + high;
  expect_result(
      batch.evaluate<double>(*loss), sum / 6,
      {-1 / 24., away / 2 * 9 / 64 / 6, 1 / 12., 1 / 16. / 6, -1 / 8., away / 2 * 3 / 64 / 6});
}

TEST(LossValue, LargeLossesAreIgnoredOrCorrected) {
  // 20 % of 6 entries per epoch: 2 in the second, 3 in the third; the largest unknown losses are
  // those of f = 3/4, then 1/2, then 1/4.
  Batch batch = two_rows();
  const LossSetup setup = {.labels = 3, .k = {}, .params = {{"delta", 20}}};
  const auto reject = make_loss("ll-r", setup), correct = make_loss("ll-ct", setup);
  expect_result(batch.evaluate<double>(*reject), kAnSum / 6, kAnGradient);
  expect_result(batch.evaluate<double>(*correct), kAnSum / 6, kAnGradient);
  batch.epoch = 2;
  expect_result(batch.evaluate<double>(*reject), (kAnSum - kLog4 - kLog2) / 6,
                {-1 / 24., 1 / 24., 1 / 12., 0, -1 / 8., 0});
  expect_result(batch.evaluate<double>(*correct), (kAnSum - kLog4 + kLog43) / 6,
                {-1 / 24., 1 / 24., 1 / 12., -1 / 12., -1 / 8., -1 / 24.});
  batch.epoch = 100;  // more than there are: observed labels are never touched
  expect_result(batch.evaluate<double>(*reject), (kLog43 + kLog2 + kLog4) / 6,
                {-1 / 24., 0, 1 / 12., 0, -1 / 8., 0});
}

TEST(LossValue, RidgeSquaresTheErrorsOfScores) {
  // z = 5 is a score of 1, z = -5 one of 0; an unknown label counts half. The last error, 10.5, is
  // beyond 10, where the square is continued by its tangent.
  Batch batch(2, 3);
  batch.z = {5, 0, 0, -5, 0, 100};
  batch.observed = {1, 1, -1, 1, 0, -1};
  const auto loss = make_loss("ridge", {.labels = 3, .k = 1, .params = {}});
  const double sum = 0 + 0.25 + 0.25 + 1 + 0.125 + 10 * (2 * 10.5 - 10);
  expect_result(batch.evaluate<double>(*loss), sum / 6,
                {0, -0.1 / 6, 0.1 / 6, -0.2 / 6, 0.05 / 6, 2 / 6.});
}

TEST(LossValue, LogisticIsWanWithAWeightOfItsOwn) {
  const Batch batch = Batch::random(3, 5, 21);
  const auto logistic = make_loss("logistic", {.labels = 5, .k = {}, .params = {{"gamma", 0.25}}});
  const auto wan = make_loss("wan", {.labels = 5, .k = {}, .params = {}});  // 1/(L-1)
  EXPECT_EQ(batch.evaluate<double>(*logistic).dz, batch.evaluate<double>(*wan).dz);
}

TEST(LossValue, SquaredHingeCountsWhatIsShortOfTheMargin) {
  Batch batch(2, 3);
  batch.z = {3, 0, 0, -3, 0.5, 1};
  batch.observed = {1, 1, -1, 1, 0, 0};
  const auto loss = make_loss("squared-hinge", {.labels = 3, .k = {}, .params = {{"gamma", 0.5}}});
  const double sum = 0 + 1 + 1 + 16 + 0.5 * 2.25 + 0.5 * 4;
  expect_result(batch.evaluate<double>(*loss), sum / 6,
                {0, -2 / 6., 2 / 6., -8 / 6., 1.5 / 6, 2 / 6.});
}

}  // namespace
}  // namespace spml
