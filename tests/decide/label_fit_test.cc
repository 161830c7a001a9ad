#include "decide/label_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/rng.h"
#include "spml/error.h"

namespace spml {
namespace {

// Rows whose labels are drawn from known probabilities, seen through distorted scores.
struct Sample {
  size_t rows, labels;
  std::vector<float> logits;             // what a classifier gives: 0.5 * truth + 1
  std::vector<double> probabilities;     // of the labels
  std::vector<int8_t> truth, observed;   // truth: +1 and -1; observed: one +1 in each row
  std::vector<double> frequency, share;  // of the labels: observed, there

  double k() const { return std::accumulate(share.begin(), share.end(), 0.0); }
  LabelFitInput input(const std::vector<int8_t>& seen) const {
    return {{logits.data(), rows, labels}, {seen.data(), rows, labels}, frequency};
  }
};

size_t pick(const std::vector<size_t>& there, const std::vector<double>& z, double prominence,
            double rest) {
  double all = 0;
  for (const size_t j : there) all += std::exp(prominence * z[j]);
  for (const size_t j : there) {
    rest -= std::exp(prominence * z[j]) / all;
    if (rest < 0) return j;
  }
  return there.back();
}

// `certainty` is the deviation of the true logits, `offset` their mean. A label is named in
// proportion to exp(prominence * logit).
Sample draw(size_t rows, size_t labels, double certainty, double offset, double prominence = 0) {
  Sample sample{
      rows, labels, {}, {}, {}, {}, std::vector<double>(labels), std::vector<double>(labels)};
  CounterRng random(1, Stream::kTrials, 0);
  const auto uniform = [&] {
    return (static_cast<double>(random.below(1 << 30)) + 0.5) / (1 << 30);
  };
  const auto normal = [&] {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  };
  for (size_t i = 0; i < rows; ++i) {
    std::vector<double> z(labels);
    for (size_t j = 0; j < labels; ++j) z[j] = offset + 0.3 * (j % 3) + certainty * normal();
    std::vector<size_t> there;
    while (there.empty()) {
      for (size_t j = 0; j < labels; ++j) {
        if (uniform() < 1 / (1 + std::exp(-z[j]))) there.push_back(j);
      }
    }
    std::vector<int8_t> truth(labels, -1), observed(labels, 0);
    for (const size_t j : there) {
      truth[j] = 1;
      sample.share[j] += 1.0 / static_cast<double>(rows);
    }
    const size_t named =
        prominence == 0 ? there[random.below(there.size())] : pick(there, z, prominence, uniform());
    observed[named] = 1;
    sample.frequency[named] += 1.0 / static_cast<double>(rows);
    for (const double value : z) {
      sample.logits.push_back(static_cast<float>(0.5 * value + 1));
      sample.probabilities.push_back(1 / (1 + std::exp(-value)));
    }
    sample.truth.insert(sample.truth.end(), truth.begin(), truth.end());
    sample.observed.insert(sample.observed.end(), observed.begin(), observed.end());
  }
  return sample;
}

double calibration_error(const Sample& sample, const Calibration& calibration) {
  std::vector<float> p = sample.logits;
  calibration.apply(0, {p.data(), sample.rows, sample.labels});
  Reliability reliability;
  reliability.add({p.data(), sample.rows, sample.labels},
                  {sample.truth.data(), sample.rows, sample.labels});
  return reliability.error();
}

TEST(FitLabels, TellsKAndProbabilitiesFromSinglePositives) {
  const Sample sample = draw(1000, 12, 5, -6);
  const LabelFit fit = fit_labels(sample.input(sample.observed));
  EXPECT_NEAR(fit.k, sample.k(), 0.1 * sample.k());
  EXPECT_LT(fit.k_low, fit.k);
  EXPECT_GT(fit.k_high, fit.k);
  EXPECT_FALSE(fit.k_is_certain) << "nobody knows that annotators name at random";
  EXPECT_LT(calibration_error(sample, fit.calibration), 0.02);
  EXPECT_EQ(fit.partial_rows, 1000u);
  for (size_t j = 0; j < sample.labels; ++j) {
    EXPECT_NEAR(fit.priors[j], sample.share[j], 0.25 * sample.share[j]) << j;
  }
}

TEST(FitLabels, TheIntervalHoldsForAnnotatorsWhoNameWhatIsEvident) {
  const Sample sample = draw(600, 12, 5, -6, 0.25);
  const LabelFit fit = fit_labels(sample.input(sample.observed));
  EXPECT_LT(fit.k, 0.9 * sample.k());  // as if they had named at random
  EXPECT_LE(fit.k_low, sample.k());
  EXPECT_GE(fit.k_high, sample.k());
}

TEST(FitLabels, FiftyCompleteRowsShowWhatAnnotatorsPrefer) {
  const Sample sample = draw(1000, 12, 5, -6, 0.25);
  std::vector<int8_t> seen = sample.observed;
  std::copy_n(sample.truth.begin(), 50 * sample.labels, seen.begin());
  LabelFitInput input = sample.input(seen);
  input.want_interval = false;
  const LabelFit fit = fit_labels(input);
  EXPECT_NEAR(fit.k, sample.k(), 0.1 * sample.k());
  EXPECT_NEAR(fit.prominence, 0.25, 0.1);
  EXPECT_LT(calibration_error(sample, fit.calibration), 0.02);
}

TEST(FitLabels, TellsManyLabelsInARow) {
  const Sample sample = draw(1200, 40, 4, -1);  // about 16 of 40
  LabelFitInput input = sample.input(sample.observed);
  input.want_interval = false;
  const LabelFit fit = fit_labels(input);
  EXPECT_NEAR(fit.k, sample.k(), 0.15 * sample.k());
}

TEST(FitLabels, IsLessCertainOfKWhereScoresSayLess) {
  const Sample sharp = draw(500, 12, 5, -6), blunt = draw(500, 12, 1.5, -2);
  const LabelFit a = fit_labels(sharp.input(sharp.observed));
  const LabelFit b = fit_labels(blunt.input(blunt.observed));
  EXPECT_LT(a.k_high / a.k_low, b.k_high / b.k_low);
  EXPECT_FALSE(b.k_is_certain) << b.k << " from " << b.k_low << " to " << b.k_high;
}

TEST(FitLabels, SaysWhenKCannotBeTold) {
  Sample sample = draw(400, 12, 0.5, -1);
  std::ranges::fill(sample.logits, 0.25F);  // scores that say nothing
  const LabelFit fit = fit_labels(sample.input(sample.observed));
  EXPECT_FALSE(fit.k_is_certain) << fit.k << " from " << fit.k_low << " to " << fit.k_high;
  EXPECT_TRUE(std::isfinite(fit.k));
}

TEST(FitLabels, LearnsFromCompleteRows) {
  const Sample sample = draw(1000, 8, 2, -1.5);
  const LabelFit fit = fit_labels(sample.input(sample.truth));
  EXPECT_EQ(fit.complete_rows, 1000u);
  EXPECT_NEAR(fit.k, sample.k(), 0.02 * sample.k());
  EXPECT_LT(calibration_error(sample, fit.calibration), 0.02);
}

TEST(FitLabels, AFewCompleteRowsTellKWhereScoresDoNot) {
  Sample sample = draw(600, 12, 0.5, -1);
  std::vector<int8_t> seen = sample.observed;
  std::copy_n(sample.truth.begin(), 60 * sample.labels, seen.begin());
  const LabelFit fit = fit_labels(sample.input(seen));
  EXPECT_EQ(fit.complete_rows, 60u);
  EXPECT_NEAR(fit.k, sample.k(), 0.15 * sample.k());
  EXPECT_TRUE(fit.k_is_certain);
}

TEST(FitLabels, IsTheSameForEveryNumberOfThreads) {
  const Sample sample = draw(150, 6, 2, -1.5);
  LabelFitInput input = sample.input(sample.observed);
  const LabelFit one = fit_labels(input);
  input.threads = 3;
  const LabelFit three = fit_labels(input);
  EXPECT_EQ(one.k, three.k);
  EXPECT_EQ(one.calibration.slope, three.calibration.slope);
  EXPECT_EQ(one.calibration.offset, three.calibration.offset);
}

TEST(FitLabels, ScoresThatTellNothingDoNotMeanEveryLabel) {
  constexpr size_t kRows = 60, kLabels = 20;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    CounterRng rng(seed, Stream::kTrials, 0);
    std::vector<float> logits(kRows * kLabels);
    std::vector<int8_t> observed(kRows * kLabels);
    for (float& logit : logits) logit = static_cast<float>(rng.uniform());
    std::vector<double> frequency(kLabels, 0.5 / (kRows + 1));
    for (size_t i = 0; i < kRows; ++i) {
      const size_t named = rng.below(kLabels);
      observed[i * kLabels + named] = 1;
      frequency[named] += 1.0 / (kRows + 1);
    }
    LabelFitInput input{
        {logits.data(), kRows, kLabels}, {observed.data(), kRows, kLabels}, frequency};
    const LabelFit fit = fit_labels(input);
    EXPECT_LT(fit.k, kLabels / 2.0) << "seed " << seed;
    EXPECT_FALSE(fit.k_is_certain) << "seed " << seed;
    input.k = 3;
    EXPECT_NEAR(fit_labels(input).k, 3, 0.6) << "seed " << seed;
  }
}

TEST(FitLabels, NeedsARowWithALabel) {
  Sample sample = draw(20, 4, 2, -1);
  std::ranges::fill(sample.observed, int8_t{0});
  EXPECT_THROW(fit_labels(sample.input(sample.observed)), Error);
}

}  // namespace
}  // namespace spml
