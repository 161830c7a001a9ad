#include "decide/minimise.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

namespace spml {
namespace {

constexpr size_t kMemory = 10;        // pairs of steps and gradient changes that are kept
constexpr double kSufficient = 1e-4;  // of the decrease that the slope promises
constexpr int kHalvings = 30;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

struct Pair {
  std::vector<double> step, change;  // of x and of the gradient
  double curvature = 0;              // step . change
};

// Minus the gradient times the approximate inverse Hessian: the two-loop recursion.
std::vector<double> direction(const std::deque<Pair>& pairs, const std::vector<double>& gradient) {
  std::vector<double> d = gradient;
  std::vector<double> alphas(pairs.size());
  for (size_t i = pairs.size(); i-- > 0;) {
    alphas[i] = dot(pairs[i].step, d) / pairs[i].curvature;
    for (size_t v = 0; v < d.size(); ++v) d[v] -= alphas[i] * pairs[i].change[v];
  }
  if (!pairs.empty()) {
    const Pair& last = pairs.back();
    const double scale = last.curvature / dot(last.change, last.change);
    for (double& value : d) value *= scale;
  } else {
    const double length = std::sqrt(dot(gradient, gradient));
    for (double& value : d) value /= std::max(1.0, length);
  }
  for (size_t i = 0; i < pairs.size(); ++i) {
    const double beta = dot(pairs[i].change, d) / pairs[i].curvature;
    for (size_t v = 0; v < d.size(); ++v) d[v] += (alphas[i] - beta) * pairs[i].step[v];
  }
  for (double& value : d) value = -value;
  return d;
}

}  // namespace

double minimise(const SmoothFunction& function, std::vector<double>& x,
                const MinimiseOptions& options) {
  std::vector<double> gradient(x.size()), next_gradient(x.size()), next(x.size());
  double value = function(x, gradient);
  std::deque<Pair> pairs;
  for (int iteration = 0; iteration < options.iterations; ++iteration) {
    std::vector<double> d = direction(pairs, gradient);
    double slope = dot(d, gradient);
    if (!(slope < 0)) {  // rounding has spoilt the memory: start it anew
      if (pairs.empty()) break;
      pairs.clear();
      continue;
    }
    double length = 1, next_value = value;
    bool lower = false;
    for (int halving = 0; halving < kHalvings && !lower; ++halving, length /= 2) {
      for (size_t v = 0; v < x.size(); ++v) next[v] = x[v] + length * d[v];
      next_value = function(next, next_gradient);
      lower = next_value <= value + kSufficient * length * slope;
    }
    if (!lower) {
      if (pairs.empty()) break;
      pairs.clear();
      continue;
    }
    Pair pair{next, next_gradient, 0};
    for (size_t v = 0; v < x.size(); ++v) {
      pair.step[v] -= x[v];
      pair.change[v] -= gradient[v];
    }
    pair.curvature = dot(pair.step, pair.change);
    const double gain = value - next_value;
    x = next;
    gradient = next_gradient;
    value = next_value;
    if (pair.curvature > 1e-12 * dot(pair.change, pair.change)) {
      pairs.push_back(std::move(pair));
      if (pairs.size() > kMemory) pairs.pop_front();
    }
    if (gain <= options.tolerance * std::max(1.0, std::abs(value))) break;
  }
  return value;
}

}  // namespace spml
