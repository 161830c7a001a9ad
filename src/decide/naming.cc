#include "decide/naming.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "decide/sigmoid.h"

namespace spml {
namespace {

// The trapezoidal rule in log s: the integrand is smooth there and falls off on both sides, so that
// few nodes give five digits. Each s is twice the one before, and exp(-w s) its square.
constexpr size_t kNamingNodes = 25;
constexpr double kFirst = 0x1p-8;  // of s, where the largest weight is 1
constexpr double kLeastLogWeight = -10;

struct NamingRule {
  std::array<double, kNamingNodes> s, weight;
};

NamingRule make_naming_rule() {
  NamingRule rule{};
  for (size_t m = 0; m < kNamingNodes; ++m) {
    rule.s[m] = kFirst * std::pow(2.0, static_cast<double>(m));
    rule.weight[m] = std::numbers::ln2 * rule.s[m];
  }
  rule.weight[0] *= 2;  // the nodes before the first, where nobody has come to mind yet
  return rule;
}

const NamingRule& rule() {
  static const NamingRule made = make_naming_rule();
  return made;
}

}  // namespace

void RowNaming::set(std::span<const double> logits, std::span<const double> log_weights,
                    std::span<const int8_t> known) {
  const size_t L = logits.size();
  f_.resize(L);
  w_.resize(L);
  late_.resize(L * kNamingNodes);
  absent_.resize(L * kNamingNodes);
  share_.resize(kNamingNodes);
  nobody_.assign(kNamingNodes, 0);
  const double largest = L > 0 ? *std::ranges::max_element(log_weights) : 0;
  std::array<double, kNamingNodes> product;
  product.fill(1);
  for (size_t j = 0; j < L; ++j) {
    const bool no = !known.empty() && known[j] < 0;
    f_[j] = no ? 0 : sigmoid(std::clamp(logits[j], -40.0, 30.0));
    w_[j] = std::exp(std::max(log_weights[j] - largest, kLeastLogWeight));
    double* late = &late_[j * kNamingNodes];
    double* absent = &absent_[j * kNamingNodes];
    double power = std::exp(-w_[j] * kFirst);
    for (size_t m = 0; m < kNamingNodes; ++m, power *= power) {
      late[m] = power;
      absent[m] = std::max(1 - f_[j] * (1 - power), 1e-30);
      product[m] *= absent[m];
    }
    if (j % 8 == 7 || j + 1 == L) {  // before a product can underflow
      for (size_t m = 0; m < kNamingNodes; ++m) {
        nobody_[m] += std::log(product[m]);
        product[m] = 1;
      }
    }
  }
  for (double& all : nobody_) all = std::exp(all);
}

double RowNaming::set_share(size_t label) {
  const NamingRule& at = rule();
  const double* late = &late_[label * kNamingNodes];
  const double* absent = &absent_[label * kNamingNodes];
  double total = 0;
  for (size_t m = 0; m < kNamingNodes; ++m) {
    share_[m] = at.weight[m] * late[m] * nobody_[m] / absent[m];
    total += share_[m];
  }
  total = std::max(total, 1e-300);
  mean_s_ = 0;
  for (size_t m = 0; m < kNamingNodes; ++m) {
    share_[m] /= total;
    mean_s_ += share_[m] * at.s[m];
  }
  return std::log(std::max(f_[label], 1e-300)) + std::log(w_[label]) + std::log(total);
}

void RowNaming::add_slopes_of_others(size_t l, double scale, std::span<double> by_logit,
                                     std::span<double> by_log_weight) const {
  const NamingRule& at = rule();
  const double* e = &late_[l * kNamingNodes];
  const double* a = &absent_[l * kNamingNodes];
  double by_f = 0, by_w = 0;
  for (size_t m = 0; m < kNamingNodes; ++m) {
    const double ratio = share_[m] / a[m];
    by_f -= ratio * (1 - e[m]);
    by_w -= ratio * e[m] * at.s[m];
  }
  by_logit[l] += scale * by_f * f_[l] * (1 - f_[l]);
  by_log_weight[l] += scale * by_w * f_[l] * w_[l];
}

double RowNaming::log_likelihood(size_t label, double scale, std::span<double> by_logit,
                                 std::span<double> by_log_weight) {
  const double value = set_share(label);
  by_logit[label] += scale * (1 - f_[label]);
  by_log_weight[label] += scale * (1 - w_[label] * mean_s_);
  for (size_t l = 0; l < labels(); ++l) {
    if (l != label && f_[l] != 0) add_slopes_of_others(l, scale, by_logit, by_log_weight);
  }
  return value;
}

// Slopes are linear in the shares, so that one walk does for those of all labels that are there; at
// such a label, its own share is left out.
double RowNaming::mean_log_likelihood(std::span<const int8_t> labels, std::span<double> by_logit,
                                      std::span<double> by_log_weight) {
  const auto count = std::ranges::count_if(labels, [](int8_t label) { return label > 0; });
  const double weight = 1 / static_cast<double>(count);
  together_.assign(kNamingNodes, 0);
  double value = 0;
  for (size_t j = 0; j < labels.size(); ++j) {
    if (labels[j] <= 0) continue;
    value += weight * set_share(j);
    for (size_t m = 0; m < kNamingNodes; ++m) together_[m] += weight * share_[m];
  }
  share_ = together_;
  for (size_t l = 0; l < labels.size(); ++l) {
    if (labels[l] <= 0 && f_[l] != 0) add_slopes_of_others(l, 1, by_logit, by_log_weight);
  }
  for (size_t l = 0; l < labels.size(); ++l) {
    if (labels[l] <= 0) continue;
    set_share(l);
    by_logit[l] += weight * (1 - f_[l]);
    by_log_weight[l] += weight * (1 - w_[l] * mean_s_);
    for (size_t m = 0; m < kNamingNodes; ++m) share_[m] = together_[m] - weight * share_[m];
    add_slopes_of_others(l, 1, by_logit, by_log_weight);
  }
  return value;
}

void RowNaming::observed_probabilities(std::span<double> out) const {
  const NamingRule& at = rule();
  for (size_t j = 0; j < labels(); ++j) {
    double sum = 0;
    for (size_t m = 0; m < kNamingNodes; ++m) {
      sum +=
          at.weight[m] * nobody_[m] * late_[j * kNamingNodes + m] / absent_[j * kNamingNodes + m];
    }
    out[j] = f_[j] * w_[j] * sum;
  }
}

}  // namespace spml
