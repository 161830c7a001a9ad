#include "decide/observation.h"

#include <algorithm>
#include <cmath>

#include "base/gauss_legendre.h"

namespace spml {
namespace {

constexpr size_t kNodes = 32;
constexpr double kLeastSome = 1e-300;

// In v with u = v^2, and so with the density 2 v: the integrand is about
// exp(-u * number of labels), and the nodes have to be dense near 0 where there are many.
Quadrature<kNodes> make_rule() {
  Quadrature<kNodes> rule = gauss_legendre<kNodes>([](double v) { return 2 * v; });
  for (double& node : rule.node) node *= node;
  return rule;
}

const Quadrature<kNodes>& quadrature() {
  static const Quadrature<kNodes> rule = make_rule();
  return rule;
}

// Below this, log(1 - f u) and 1 / (1 - f u) are series of three terms. Of hundreds of labels
// most are unlikely in any row, and each of those then costs only a few operations.
constexpr double kSmall = 0.05;

// Sum over nodes of weight / (1 - f u) for small f.
struct Moments {
  double zero = 0, one = 0, two = 0;  // sums of weight, weight u, weight u^2
  double at(double f) const { return zero + f * (one + f * two); }
};

Moments moments_of(const std::vector<double>& weights) {
  const auto& u = quadrature().node;
  Moments moments;
  for (size_t m = 0; m < kNodes; ++m) {
    moments.zero += weights[m];
    moments.one += weights[m] * u[m];
    moments.two += weights[m] * u[m] * u[m];
  }
  return moments;
}

// Sum over nodes of weight / (1 - f u); the moments are those of the weights.
double sum_at(double f, const std::vector<double>& weights, const Moments& moments) {
  if (f < kSmall) return moments.at(f);
  const auto& u = quadrature().node;
  double sum = 0;
  for (size_t m = 0; m < kNodes; ++m) sum += weights[m] / (1 - f * u[m]);
  return sum;
}

}  // namespace

void RowObservation::set(std::span<const double> logits, std::span<const int8_t> labels,
                         bool is_observed) {
  const auto& u = quadrature().node;
  f_.resize(logits.size());
  products_.assign(quadrature().weight.begin(), quadrature().weight.end());
  share_.resize(kNodes);
  sum_ = 0;
  empty_ = 1;
  double first = 0, second = 0, third = 0;  // sums of f, f^2 / 2, f^3 / 3 of small ones
  for (size_t j = 0; j < logits.size(); ++j) {
    const bool absent = !labels.empty() && labels[j] < 0;
    const double f = absent ? 0 : 1 / (1 + std::exp(-std::clamp(logits[j], -40.0, 30.0)));
    f_[j] = f;
    sum_ += f;
    empty_ *= 1 - f;
    if (!is_observed) continue;
    if (f < kSmall) {
      first += f;
      second += f * f / 2;
      third += f * f * f / 3;
    } else {
      for (size_t m = 0; m < kNodes; ++m) products_[m] *= 1 - f * u[m];
    }
  }
  if (is_observed) {
    for (size_t m = 0; m < kNodes; ++m) {
      products_[m] *= std::exp(-u[m] * (first + u[m] * (second + u[m] * third)));
    }
  }
  some_ = never_empty_ ? std::max(1 - empty_, kLeastSome) : 1;
  // Where every f is tiny, 1 - product is all rounding; the sum is right to first order.
  if (never_empty_ && sum_ < 1e-6) some_ = std::max(sum_, kLeastSome);
}

double RowObservation::set_share(size_t label) {
  const auto& u = quadrature().node;
  const double f = f_[label];
  double total = 0;
  for (size_t m = 0; m < kNodes; ++m) {
    share_[m] = products_[m] / (1 - f * u[m]);
    total += share_[m];
  }
  total = std::max(total, 1e-300);
  for (size_t m = 0; m < kNodes; ++m) share_[m] *= u[m] / total;
  return total;
}

double RowObservation::log_likelihood(size_t label, double weight, std::span<double> gradient) {
  const auto& u = quadrature().node;
  const double f = f_[label];
  const double total = set_share(label);
  const Moments moments = moments_of(share_);
  // d log(some) / dz_l = f_l * empty / some
  const double from_some = never_empty_ ? empty_ / some_ : 0;
  for (size_t l = 0; l < f_.size(); ++l) {
    const double g = f_[l];
    if (g == 0) continue;
    double slope = 0;
    if (l == label) {
      slope = 1 - g;
    } else if (g < kSmall) {
      slope = -g * (1 - g) * moments.at(g);
    } else {
      double sum = 0;
      for (size_t m = 0; m < kNodes; ++m) sum += share_[m] / (1 - g * u[m]);
      slope = -g * (1 - g) * sum;
    }
    gradient[l] += weight * (slope - from_some * g);
  }
  return std::log(std::max(f, 1e-300)) + std::log(total) - std::log(some_);
}

// The slopes are linear in the shares, so that those of all labels that are there go in one walk;
// at such a label itself, its own share has no part in that.
double RowObservation::mean_log_likelihood(std::span<const int8_t> labels,
                                           std::span<double> gradient) {
  const auto count = std::ranges::count_if(labels, [](int8_t label) { return label > 0; });
  if (count == 1) {
    const auto there = std::ranges::find_if(labels, [](int8_t label) { return label > 0; });
    return log_likelihood(static_cast<size_t>(there - labels.begin()), 1, gradient);
  }
  const double weight = 1 / static_cast<double>(count);
  together_.assign(kNodes, 0);
  double value = -std::log(some_);
  for (size_t j = 0; j < labels.size(); ++j) {
    if (labels[j] <= 0) continue;
    const double total = set_share(j);
    value += weight * (std::log(std::max(f_[j], 1e-300)) + std::log(total));
    for (size_t m = 0; m < kNodes; ++m) together_[m] += weight * share_[m];
  }
  const Moments moments = moments_of(together_);
  const double from_some = never_empty_ ? empty_ / some_ : 0;
  for (size_t l = 0; l < f_.size(); ++l) {
    const double g = f_[l];
    if (g == 0) continue;
    double slope = 0;
    if (labels[l] > 0) {
      set_share(l);
      for (size_t m = 0; m < kNodes; ++m) share_[m] = together_[m] - weight * share_[m];
      slope = weight * (1 - g) - g * (1 - g) * sum_at(g, share_, moments_of(share_));
    } else {
      slope = -g * (1 - g) * sum_at(g, together_, moments);
    }
    gradient[l] += slope - from_some * g;
  }
  return value;
}

double RowObservation::log_empty(double weight, std::span<double> gradient) const {
  for (size_t l = 0; l < f_.size(); ++l) gradient[l] -= weight * f_[l];
  return std::log(std::max(empty_, 1e-300));
}

double RowObservation::log_some(double weight, std::span<double> gradient) const {
  if (!never_empty_) return 0;
  for (size_t l = 0; l < f_.size(); ++l) gradient[l] += weight * f_[l] * empty_ / some_;
  return std::log(some_);
}

void RowObservation::observed_probabilities(std::span<double> out) const {
  const auto& u = quadrature().node;
  const Moments moments = moments_of(products_);
  for (size_t j = 0; j < f_.size(); ++j) {
    double sum = 0;
    if (f_[j] < kSmall) {
      sum = moments.at(f_[j]);
    } else {
      for (size_t m = 0; m < kNodes; ++m) sum += products_[m] / (1 - f_[j] * u[m]);
    }
    out[j] = f_[j] * sum / some_;
  }
}

double RowObservation::expected(double weight, std::span<double> gradient) const {
  const double from_some = never_empty_ ? sum_ * empty_ / (some_ * some_) : 0;
  for (size_t l = 0; l < f_.size(); ++l) {
    const double f = f_[l];
    gradient[l] += weight * (f * (1 - f) / some_ - from_some * f);
  }
  return sum_ / some_;
}

}  // namespace spml
