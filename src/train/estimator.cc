#include "train/estimator.h"

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "base/sigmoid.h"
#include "train/estimator_kernels.h"

namespace spml {
namespace {

// Beyond so many steps 0.9^j is nothing in double precision.
constexpr uint64_t kHorizon = 400;

// Where c varies more than this (only in the first steps of a run) the expansion is too coarse.
constexpr double kMaxRelativeVariance = 1e-3;

float logit(double p) { return static_cast<float>(std::log(p) - std::log1p(-p)); }

}  // namespace

DecaySums::DecaySums(const AdamConfig& config) : config_(config) {
  for (int i = 0; i < 3; ++i) ratio_[i] = config.beta1 / std::pow(config.beta2, (i + 1) / 2.0);
}

// (1 - b2^step)^((power+1)/2) / (1 - b1^step)
double DecaySums::weight(int power, uint64_t step) const {
  const double n = static_cast<double>(step);
  return std::pow(1 - std::pow(config_.beta2, n), (power + 1) / 2.0) /
         (1 - std::pow(config_.beta1, n));
}

// Tails obey tail(t) = ratio (weight(t+1) + tail(t+1)). They are filled in blocks, each started
// from zero far enough behind its end that what was left out has died off.
void DecaySums::extend(uint64_t t) {
  constexpr uint64_t kBlock = 4096;
  while (tails_[0].size() <= t) {
    const uint64_t begin = tails_[0].size(), end = begin + kBlock;
    for (int i = 0; i < 3; ++i) {
      tails_[i].resize(end);
      double tail = 0;
      for (uint64_t j = end + kHorizon; j-- > begin;) {
        tail = ratio_[i] * (weight(i, j + 1) + tail);
        if (j < end) tails_[i][j] = tail;
      }
    }
  }
}

DecaySums::Sums DecaySums::between(uint64_t t, uint64_t s) {
  extend(t + s);
  double sum[3];
  for (int i = 0; i < 3; ++i) {
    const double rest = s > 4 * kHorizon ? 0.0 : std::pow(ratio_[i], static_cast<double>(s));
    sum[i] = tails_[i][t] - rest * tails_[i][t + s];
  }
  const double center = sum[1] / sum[0];
  return {sum[0], center, std::max(0.0, sum[2] / sum[0] - center * center)};
}

LabelEstimator::LabelEstimator(size_t rows, size_t labels, const AdamConfig& config)
    : rows_(rows),
      labels_(labels),
      config_(config),
      sums_(config),
      table_(rows * labels * 3),
      last_step_(rows) {}

void LabelEstimator::start_row(size_t row, std::span<const int8_t> observed, uint64_t seed,
                               uint64_t key) {
  static const float kPositive = logit(0.995), kNegative = logit(0.005);
  static const double kHigh = logit(0.6);
  CounterRng random(seed, Stream::kInitialEstimates, key);
  float* u = row_data(row);
  for (size_t j = 0; j < labels_; ++j) {
    const auto unknown = static_cast<float>((2 * random.uniform() - 1) * kHigh);
    u[j] = observed[j] > 0 ? kPositive : observed[j] < 0 ? kNegative : unknown;
  }
}

void LabelEstimator::start_row(size_t row, std::span<const float> probabilities) {
  float* u = row_data(row);
  for (size_t j = 0; j < labels_; ++j) {
    u[j] = logit(std::clamp(static_cast<double>(probabilities[j]), 1e-5, 1 - 1e-5));
  }
}

void LabelEstimator::catch_up(const float* row, uint64_t last, float* out) {
  const float *u = row, *m = row + labels_, *v = row + 2 * labels_;
  const uint64_t missed = step_ - last;
  if (missed == 0 || last == 0) {  // a row never touched has no momentum
    std::copy_n(u, labels_, out);
    return;
  }
  const DecaySums::Sums sums = sums_.between(last, missed);
  if (sums.variance > kMaxRelativeVariance * sums.center * sums.center) {
    // The first steps of a run: sum term by term.
    std::vector<double> moved(labels_);
    for (uint64_t j = 1; j <= std::min(missed, kHorizon); ++j) {
      const double n = static_cast<double>(j), t = static_cast<double>(last + j);
      const double a = std::pow(config_.beta1, n) / (1 - std::pow(config_.beta1, t));
      const double b = std::pow(config_.beta2, n) / (1 - std::pow(config_.beta2, t));
      for (size_t i = 0; i < labels_; ++i) {
        moved[i] += m[i] * a / (std::sqrt(v[i] * b) + config_.eps);
      }
    }
    for (size_t i = 0; i < labels_; ++i) {
      out[i] = static_cast<float>(u[i] - config_.lr * moved[i]);
    }
    return;
  }
  const CatchUp constants = {static_cast<float>(config_.lr * sums.s1),
                             static_cast<float>(sums.center), static_cast<float>(sums.variance),
                             static_cast<float>(config_.eps)};
  catch_up_row(constants, u, m, v, labels_, out);
}

void LabelEstimator::fetch(std::span<const int32_t> rows, View<float> logits) {
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<size_t>(rows[i]);
    float* data = row_data(row);
    catch_up(data, last_step_[row], logits.row(i));
    const double missed = static_cast<double>(step_ - last_step_[row]);
    const auto decay1 = static_cast<float>(std::pow(config_.beta1, missed));
    const auto decay2 = static_cast<float>(std::pow(config_.beta2, missed));
    std::copy_n(logits.row(i), labels_, data);
    for (size_t j = 0; j < labels_; ++j) data[labels_ + j] *= decay1;
    for (size_t j = 0; j < labels_; ++j) data[2 * labels_ + j] *= decay2;
    last_step_[row] = static_cast<uint32_t>(step_);
  }
}

void LabelEstimator::apply(std::span<const int32_t> rows, View<const float> gradient) {
  const AdamStep constants(config_, ++step_);
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<size_t>(rows[i]);
    float* data = row_data(row);
    adam_row(constants, gradient.row(i), data, data + labels_, data + 2 * labels_, labels_);
    last_step_[row] = static_cast<uint32_t>(step_);
  }
}

void LabelEstimator::probabilities(size_t row, std::span<float> out) {
  catch_up(row_data(row), last_step_[row], out.data());
  sigmoid_in_place(out);
}

}  // namespace spml
