#include "review/bounds.h"

#include <cmath>
#include <random>
#include <vector>

#include "testing.h"

namespace spml::review {
namespace {

double choose(int n, int k) {
  return std::round(std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1)));
}

// P(X <= k) of k successes in n draws with share p, term by term.
double binomial_cdf(int k, int n, double p) {
  double sum = 0;
  for (int i = 0; i <= k; ++i) sum += choose(n, i) * std::pow(p, i) * std::pow(1 - p, n - i);
  return sum;
}

TEST(ClopperPearson, GivesThePublishedIntervals) {
  // 7 of 10: Clopper and Pearson's chart and every textbook's table.
  EXPECT_NEAR(clopper_pearson(7, 10).low, 0.3475, 5e-5);
  EXPECT_NEAR(clopper_pearson(7, 10).high, 0.9333, 5e-5);
  // No success in n: 1 - 0.025^(1/n).
  EXPECT_EQ(clopper_pearson(0, 20).low, 0);
  EXPECT_NEAR(clopper_pearson(0, 20).high, 1 - std::pow(0.025, 1.0 / 20), 1e-12);
  EXPECT_EQ(clopper_pearson(20, 20).high, 1);
  EXPECT_NEAR(clopper_pearson(20, 20).low, std::pow(0.025, 1.0 / 20), 1e-12);
}

TEST(ClopperPearson, EndsWhereATailIsHalfOfTheError) {
  for (const int n : {1, 5, 30}) {
    for (int k = 0; k <= n; ++k) {
      const Interval interval = clopper_pearson(static_cast<uint64_t>(k), static_cast<uint64_t>(n));
      if (k > 0) {
        EXPECT_NEAR(1 - binomial_cdf(k - 1, n, interval.low), 0.025, 1e-9);
      }
      if (k < n) {
        EXPECT_NEAR(binomial_cdf(k, n, interval.high), 0.025, 1e-9);
      }
    }
  }
}

TEST(ClopperPearson, SaysNothingWithoutAnswers) {
  EXPECT_EQ(clopper_pearson(0, 0).low, 0);
  EXPECT_EQ(clopper_pearson(0, 0).high, 1);
}

TEST(ClopperPearson, TakesCountsOfALongReview) {
  const Interval interval = clopper_pearson(95'000, 100'000);
  EXPECT_NEAR(interval.low, 0.9486, 1e-4);
  EXPECT_NEAR(interval.high, 0.9513, 1e-4);
}

TEST(Hypergeometric, IsTheShareOfSubsets) {
  const int N = 12;
  for (int M = 0; M <= N; ++M) {
    for (int n = 0; n <= N; ++n) {
      double sum = 0;
      for (int k = 0; k <= n; ++k) {
        if (k <= M && n - k <= N - M) sum += choose(M, k) * choose(N - M, n - k) / choose(N, n);
        EXPECT_NEAR(hypergeometric_cdf(static_cast<uint64_t>(k), N, static_cast<uint64_t>(M),
                                       static_cast<uint64_t>(n)),
                    sum, 1e-9)
            << "M " << M << " n " << n << " k " << k;
      }
    }
  }
}

TEST(MostPositives, IsTheLastNumberThatTheSampleDoesNotRuleOut) {
  for (const uint64_t found : {0u, 1u, 7u}) {
    for (const uint64_t population : {300u, 86'906u, 12'000'000u}) {
      const uint64_t most = most_positives(found, population, 300);
      if (most < population - (300 - found)) {
        EXPECT_LT(hypergeometric_cdf(found, population, most + 1, 300), 0.05);
      }
      EXPECT_GE(hypergeometric_cdf(found, population, most, 300), 0.05);
    }
  }
}

TEST(MostPositives, OfAWholePopulationIsWhatWasFound) {
  EXPECT_EQ(most_positives(3, 50, 50), 3u);
  EXPECT_EQ(most_positives(0, 1, 0), 1u);
  EXPECT_EQ(most_positives(0, 0, 0), 0u);
}

TEST(StoppingBound, CountsWhatWasFoundSinceTheSampleWasDrawn) {
  // Nothing in 100 of 1,000: at most M positives; 4 found elsewhere are no longer missing.
  const uint64_t most = most_positives(0, 1000, 100);
  const StoppingBound bound = stopping_bound({1000, 100, 0, 4, 50});
  EXPECT_EQ(bound.missing_at_most, most - 4);
  EXPECT_DOUBLE_EQ(bound.share_found_at_least, 50.0 / (50.0 + static_cast<double>(most - 4)));
}

// A reviewer answers the best of a ranking, then draws a random sample of what is open, answers it,
// and goes on with the ranking. The bounds must hold in 95 of 100 reviews.
TEST(StoppingBound, HoldsIn1000SimulatedReviews) {
  std::mt19937_64 random(7);
  int held = 0, share_held = 0;
  constexpr int kReviews = 1000, kEntries = 4000;
  for (int review = 0; review < kReviews; ++review) {
    const int hidden = 20 + static_cast<int>(random() % 200);
    std::vector<int> positive(kEntries);  // in order of the ranking, the positives mostly in front
    std::exponential_distribution<double> place(1.0 / 500);
    for (int placed = 0; placed < hidden;) {
      const auto at = static_cast<size_t>(place(random));
      if (at < positive.size() && positive[at] == 0) positive[at] = 1, ++placed;
    }
    const size_t answered = 200 + random() % 800, size = 50 + random() % 300, more = random() % 500;
    uint64_t found = 0;
    for (size_t i = 0; i < answered; ++i) found += static_cast<uint64_t>(positive[i]);
    std::vector<size_t> open(kEntries - answered);
    for (size_t i = 0; i < open.size(); ++i) open[i] = answered + i;
    std::vector<size_t> drawn = open;
    std::shuffle(drawn.begin(), drawn.end(), random);
    drawn.resize(size);
    SampleOutcome outcome{open.size(), size, 0, 0, 0};
    std::vector<int> looked_at(kEntries);
    for (const size_t i : drawn)
      outcome.positives += static_cast<uint64_t>(positive[i]), looked_at[i] = 1;
    for (size_t i = answered; i < answered + more; ++i) looked_at[i] = 1;
    for (const size_t i : open)
      outcome.found_since += static_cast<uint64_t>(looked_at[i] * positive[i]);
    outcome.found = found + outcome.found_since;
    const auto missing = static_cast<uint64_t>(hidden) - outcome.found;
    const StoppingBound bound = stopping_bound(outcome);
    held += missing <= bound.missing_at_most;
    share_held += static_cast<double>(outcome.found) / hidden >= bound.share_found_at_least - 1e-12;
  }
  RecordProperty("reviews_in_which_the_bound_held", held);
  RecordProperty("reviews_in_which_the_share_held", share_held);
  EXPECT_GE(held, 930);
  EXPECT_GE(share_held, 930);
  EXPECT_LT(held, 1000) << "a bound that always holds is too wide to be of use";
}

TEST(ClopperPearson, HoldsIn1000SimulatedReviews) {
  std::mt19937_64 random(11);
  int held = 0;
  for (int review = 0; review < 1000; ++review) {
    const double share = std::uniform_real_distribution<double>(0.02, 0.98)(random);
    const uint64_t answers = 10 + random() % 500;
    uint64_t yes = 0;
    for (uint64_t i = 0; i < answers; ++i) yes += std::bernoulli_distribution(share)(random);
    const Interval interval = clopper_pearson(yes, answers);
    held += interval.low <= share && share <= interval.high;
  }
  RecordProperty("reviews_in_which_the_interval_held", held);
  EXPECT_GE(held, 930);
  EXPECT_LT(held, 1000);
}

}  // namespace
}  // namespace spml::review
