#include "ridge/known_labels.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/memory_budget.h"
#include "decide/selection.h"

namespace spml {
namespace {

// In units of the mean variance of the features. Weakest first.
constexpr std::array<double, 5> kStrengths = {0.3, 1, 3, 10, 30};
// With observed positives alone the best strength is higher than once more labels are known: a
// stronger one has to score better by this factor.
constexpr double kClearlyBetter = 1.005;

Matrix<float> first_targets(View<const int8_t> known) {
  Matrix<float> targets(known.rows, known.cols);
  for (size_t i = 0; i < known.size(); ++i) targets.data()[i] = known.data[i] > 0;
  return targets;
}

// The prior trust counts as much as this many answers (in expected positives).
constexpr double kFirstTrust = 5;

double as_share(float score) { return std::clamp(static_cast<double>(score), 0.0, 1.0); }

// The factor for scores of unknown labels before questions are answered: they must not add up to
// more missing labels than k allows.
double first_trust(View<const int8_t> known, View<const float> scores, double k) {
  double missing = k * static_cast<double>(known.rows), expected = 0;
  for (size_t i = 0; i < known.size(); ++i) {
    if (known.data[i] > 0) --missing;
    if (known.data[i] == 0) expected += as_share(scores.data[i]);
  }
  return expected > 0 ? std::clamp(missing / expected, 0.0, 1.0) : 1;
}

// The factor for each label once there are answers: positives found, over those that the scores
// predicted. One of a row's positives was named; the others were found by asking.
std::vector<double> trust(View<const int8_t> known, View<const float> scores, double k) {
  std::vector<double> there(known.cols, kFirstTrust * first_trust(known, scores, k));
  std::vector<double> expected(known.cols, kFirstTrust);
  for (size_t i = 0; i < known.rows; ++i) {
    const std::span row(known.row(i), known.cols);
    const auto positives =
        static_cast<double>(std::ranges::count_if(row, [](int8_t o) { return o > 0; }));
    const double asked = positives > 0 ? (positives - 1) / positives : 0;
    for (size_t j = 0; j < known.cols; ++j) {
      const double weight = row[j] > 0 ? asked : row[j] < 0 ? 1 : 0;
      there[j] += row[j] > 0 ? weight : 0;
      expected[j] += weight * as_share(scores(i, j));
    }
  }
  for (size_t j = 0; j < known.cols; ++j) there[j] = std::min(1.0, there[j] / expected[j]);
  return there;
}

}  // namespace

uint64_t bytes_to_fit(size_t rows, size_t labels, size_t features) {
  const size_t order = LeastSquares::order(rows, features);
  // Targets of both rounds, scores of both fits and what they are made of, labels; weights;
  // moments and two factors.
  return saturating_sum(saturating_sum(saturating_product(rows, labels, 6 * sizeof(float) + 1),
                                       saturating_product(features, labels, 3 * sizeof(float))),
                        saturating_product(order, order, 3 * sizeof(float)));
}

KnownLabelClassifier::KnownLabelClassifier(const FeatureMatrix& features,
                                           const FeatureTransform& transform,
                                           std::vector<int32_t> rows, View<const int8_t> known,
                                           double k, int threads, double strength,
                                           std::function<void()> between_parts)
    : squares_(features, transform, std::move(rows), threads, std::move(between_parts)),
      strength_(strength),
      k_(k) {
  if (strength > 0) {
    solver_ = squares_.with_strength(strength);
    return;
  }
  const Matrix<float> targets = first_targets(known);
  const std::vector<double> frequency = observed_frequency(known);
  Matrix<float> left_out(known.rows, known.cols);
  double best = -1;
  for (const double tried : kStrengths) {
    LeastSquares::Penalised solver = squares_.with_strength(tried);
    squares_.fit(solver, targets, left_out.view());
    const double score = observed_criterion(left_out, known, frequency, k, threads);
    if (best >= 0 && score <= best * kClearlyBetter) break;
    best = score;
    strength_ = tried;
    solver_ = std::move(solver);
  }
}

KnownLabelClassifier::Result KnownLabelClassifier::fit(View<const int8_t> known) const {
  Matrix<float> targets = first_targets(known);
  Result result;
  result.left_out = Matrix<float>(known.rows, known.cols);
  squares_.fit(solver_, targets, result.left_out.view());
  // Ranking questions works better with the targets as they are, the classifier with those that
  // are scaled down.
  const std::vector<double> believed = trust(known, result.left_out.view(), k_);
  Matrix<float> lowered = targets;
  for (size_t i = 0; i < known.rows; ++i) {
    for (size_t j = 0; j < known.cols; ++j) {
      if (known(i, j) != 0) continue;
      targets(i, j) = std::clamp(result.left_out(i, j), 0.0f, 1.0f);
      lowered(i, j) = static_cast<float>(believed[j]) * targets(i, j);
    }
  }
  squares_.fit(solver_, targets, result.left_out.view());
  Matrix<float> unused(known.rows, known.cols);
  result.fit = squares_.fit(solver_, lowered, unused.view());
  return result;
}

}  // namespace spml
