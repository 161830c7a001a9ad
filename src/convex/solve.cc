#include "convex/solve.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/fail.h"
#include "base/memory_budget.h"
#include "base/parallel.h"
#include "spml/matrix.h"

namespace spml {
namespace {

constexpr int kMostInnerSteps = 250;  // of conjugate gradients, for one step of Newton's method
constexpr double kInnerTolerance = 0.1;
constexpr double kEnough = 1e-2;  // of the decrease that the slope promises
constexpr int kMostHalvings = 30;

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * b[i];
  return sum;
}

void add_scaled(double scale, std::span<const float> from, std::span<float> to) {
  for (size_t i = 0; i < to.size(); ++i) to[i] += static_cast<float>(scale) * from[i];
}

using Labels = std::vector<size_t>;

// Newton's method for all labels side by side. Weights, gradients and directions are rows of D + 1
// values, the last one the bias.
class Newton {
 public:
  Newton(const FeatureProducts& features, const ConvexProblem& problem, LinearFit start);
  ConvexResult solve();

 private:
  size_t labels() const { return problem_.targets.rows; }
  size_t rows() const { return features_.rows(); }
  size_t columns() const { return features_.columns(); }
  double weight(size_t j, size_t i) const {
    return problem_.strength * (problem_.weights.empty() ? 1.0 : double{problem_.weights(j, i)});
  }
  void for_each(const Labels& of, const std::function<void(size_t)>& body) const {
    parallel_for(of.size(), problem_.threads, [&](size_t t) { body(of[t]); });
  }

  // out's rows of these labels: x times the features and a one, or factors times those summed up.
  void multiply(const Labels& of, const Matrix<float>& x, Matrix<float>& out) const;
  void sum_up(const Labels& of, const Matrix<float>& factors, Matrix<float>& out) const;
  void add_penalty(size_t j, const Matrix<float>& x, Matrix<float>& out) const;
  void find_gradients(const Labels& of);
  void find_directions(const Labels& of);
  double value_at(size_t j, double step) const;
  bool move(size_t j);

  const FeatureProducts& features_;
  const ConvexProblem& problem_;
  Matrix<float> at_, gradient_, direction_;  // (L, D + 1)
  Matrix<float> scores_, curvature_;         // (L, n)
  Matrix<float> change_;                     // (L, n): of the scores, along the direction
  std::vector<double> objective_, first_norm_, norm_;
};

Newton::Newton(const FeatureProducts& features, const ConvexProblem& problem, LinearFit start)
    : features_(features),
      problem_(problem),
      at_(labels(), columns() + 1),
      gradient_(labels(), columns() + 1),
      direction_(labels(), columns() + 1),
      scores_(labels(), rows()),
      curvature_(labels(), rows()),
      change_(labels(), rows()),
      objective_(labels()),
      first_norm_(labels()),
      norm_(labels()) {
  const View<const float> weights = problem.weights;
  if (problem.targets.cols != rows() ||
      (!weights.empty() && (weights.rows != labels() || weights.cols != rows()))) {
    fail("convex: expected targets and weights of {} rows, found {} and {}", rows(),
         problem.targets.cols, weights.cols);
  }
  if (!start.weight.empty() &&
      (start.weight.size() != labels() * columns() || start.bias.size() != labels())) {
    fail("convex: expected to start from {} x {} weights, found {}", labels(), columns(),
         start.weight.size());
  }
  // The gradient at 0 is what the tolerance is relative to.
  Labels all(labels());
  std::iota(all.begin(), all.end(), 0);
  find_gradients(all);
  first_norm_ = norm_;
  if (start.weight.empty()) return;
  for (const size_t j : all) {
    std::copy_n(&start.weight[j * columns()], columns(), at_.row(j).data());
    at_(j, columns()) = start.bias[j];
  }
  multiply(all, at_, scores_);
  find_gradients(all);
}

void Newton::multiply(const Labels& of, const Matrix<float>& x, Matrix<float>& out) const {
  std::vector<float> packed(of.size() * columns()), scores(of.size() * rows());
  for (size_t t = 0; t < of.size(); ++t) {
    std::copy_n(x.row(of[t]).data(), columns(), &packed[t * columns()]);
  }
  features_.scores(packed.data(), of.size(), scores.data());
  for (size_t t = 0; t < of.size(); ++t) {
    const float bias = x(of[t], columns());
    std::transform(&scores[t * rows()], &scores[t * rows()] + rows(), out.row(of[t]).data(),
                   [&](float z) { return z + bias; });
  }
}

void Newton::sum_up(const Labels& of, const Matrix<float>& factors, Matrix<float>& out) const {
  std::vector<float> packed(of.size() * rows()), sums(of.size() * columns());
  for (size_t t = 0; t < of.size(); ++t) {
    std::ranges::copy(factors.row(of[t]), &packed[t * rows()]);
  }
  features_.weighted_sums(packed.data(), of.size(), sums.data());
  for (size_t t = 0; t < of.size(); ++t) {
    std::copy_n(&sums[t * columns()], columns(), out.row(of[t]).data());
    const std::span<const float> row = factors.row(of[t]);
    out(of[t], columns()) = static_cast<float>(std::accumulate(row.begin(), row.end(), 0.0));
  }
}

void Newton::add_penalty(size_t j, const Matrix<float>& x, Matrix<float>& out) const {
  for (size_t c = 0; c < columns(); ++c) out(j, c) += x(j, c);
  out(j, columns()) += static_cast<float>(problem_.bias_penalty) * x(j, columns());
}

// Also the objective and the curvature, from the scores.
void Newton::find_gradients(const Labels& of) {
  Matrix<float>& slopes = change_;  // which is not in use
  for_each(of, [&](size_t j) {
    double sum = 0;
    for (size_t i = 0; i < rows(); ++i) {
      const double a = weight(j, i);
      const MarginTerms terms = margin_terms(problem_.loss, scores_(j, i), problem_.targets(j, i));
      sum += a * terms.value;
      slopes(j, i) = static_cast<float>(a * terms.slope);
      curvature_(j, i) = static_cast<float>(a * terms.curvature);
    }
    const std::span<const float> w = at_.row(j).first(columns());
    const double bias = at_(j, columns());
    objective_[j] = sum + (dot(w, w) + problem_.bias_penalty * bias * bias) / 2;
  });
  sum_up(of, slopes, gradient_);
  for_each(of, [&](size_t j) {
    add_penalty(j, at_, gradient_);
    norm_[j] = std::sqrt(dot(gradient_.row(j), gradient_.row(j)));
  });
}

// Conjugate gradients: roughly the direction d with H d = -gradient.
void Newton::find_directions(const Labels& of) {
  Matrix<float> residual(labels(), columns() + 1), search(labels(), columns() + 1);
  Matrix<float> product(labels(), columns() + 1);
  std::vector<double> squared(labels());
  for (const size_t j : of) {
    std::ranges::fill(direction_.row(j), 0.0f);
    std::ranges::transform(gradient_.row(j), residual.row(j).begin(), std::negate());
    std::ranges::copy(residual.row(j), search.row(j).begin());
    squared[j] = norm_[j] * norm_[j];
  }
  Labels active = of;
  for (int step = 0; step < kMostInnerSteps && !active.empty(); ++step) {
    if (problem_.between_parts) problem_.between_parts();
    multiply(active, search, change_);
    for_each(active, [&](size_t j) {
      for (size_t i = 0; i < rows(); ++i) change_(j, i) *= curvature_(j, i);
    });
    sum_up(active, change_, product);
    for_each(active, [&](size_t j) {
      add_penalty(j, search, product);
      const double bend = dot(search.row(j), product.row(j));
      if (!(bend > 0)) {
        squared[j] = 0;
        return;
      }
      const double alpha = squared[j] / bend;
      add_scaled(alpha, search.row(j), direction_.row(j));
      add_scaled(-alpha, product.row(j), residual.row(j));
      const double now = dot(residual.row(j), residual.row(j)), beta = now / squared[j];
      for (size_t c = 0; c <= columns(); ++c) {
        search(j, c) = residual(j, c) + static_cast<float>(beta) * search(j, c);
      }
      squared[j] = now;
    });
    std::erase_if(active,
                  [&](size_t j) { return std::sqrt(squared[j]) <= kInnerTolerance * norm_[j]; });
  }
}

double Newton::value_at(size_t j, double step) const {
  double sum = 0;
  for (size_t i = 0; i < rows(); ++i) {
    const double z = scores_(j, i) + step * change_(j, i);
    sum += weight(j, i) * margin_value(problem_.loss, z, problem_.targets(j, i));
  }
  double squares = 0;
  for (size_t c = 0; c <= columns(); ++c) {
    const double w = at_(j, c) + step * direction_(j, c);
    squares += (c < columns() ? 1 : problem_.bias_penalty) * w * w;
  }
  return sum + squares / 2;
}

// Along the direction, by half as much until the objective falls. False where it does not.
bool Newton::move(size_t j) {
  const double slope = dot(gradient_.row(j), direction_.row(j));
  if (!(slope < 0)) return false;
  double step = 1;
  for (int halvings = 0; halvings < kMostHalvings; ++halvings, step /= 2) {
    if (value_at(j, step) > objective_[j] + kEnough * step * slope) continue;
    add_scaled(step, direction_.row(j), at_.row(j));
    add_scaled(step, change_.row(j), scores_.row(j));
    return true;
  }
  return false;
}

ConvexResult Newton::solve() {
  ConvexResult result;
  Labels active(labels());
  std::iota(active.begin(), active.end(), 0);
  const auto is_done = [&](size_t j) {
    return norm_[j] <= problem_.tolerance * first_norm_[j] || first_norm_[j] == 0;
  };
  std::erase_if(active, is_done);
  while (!active.empty() && result.iterations < problem_.iterations) {
    ++result.iterations;
    find_directions(active);
    multiply(active, direction_, change_);
    std::vector<uint8_t> stuck(labels());
    for_each(active, [&](size_t j) { stuck[j] = !move(j); });
    std::erase_if(active, [&](size_t j) { return stuck[j] != 0; });
    find_gradients(active);
    std::erase_if(active, is_done);
  }
  for (size_t j = 0; j < labels(); ++j) {
    const auto w = at_.row(j).first(columns());
    result.fit.weight.insert(result.fit.weight.end(), w.begin(), w.end());
    result.fit.bias.push_back(at_(j, columns()));
    result.gradient.push_back(first_norm_[j] > 0 ? norm_[j] / first_norm_[j] : 0);
  }
  result.objective = std::move(objective_);
  return result;
}

}  // namespace

ConvexResult solve_convex(const FeatureProducts& features, const ConvexProblem& problem,
                          LinearFit start) {
  return Newton(features, problem, std::move(start)).solve();
}

uint64_t bytes_to_solve(size_t rows, size_t labels, size_t columns) {
  // Scores, curvatures, changes, a product, targets, weights; weights and gradients, directions.
  return saturating_sum(saturating_product(rows, labels, 7 * sizeof(float)),
                        saturating_product(columns + 1, labels, 9 * sizeof(float)));
}

}  // namespace spml
