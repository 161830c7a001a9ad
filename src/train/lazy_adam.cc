#include "train/lazy_adam.h"

#include <algorithm>
#include <cmath>

#include "base/fail.h"
#include "base/prefetch.h"
#include "formats/safetensors.h"
#include "train/label_part.h"

namespace spml {
namespace {

// Beyond this many steps 0.9^j is negligible in double precision.
constexpr uint64_t kHorizon = 400;

// Beyond this many it is negligible in single precision, in which terms are added one by one.
constexpr uint64_t kTerms = 200;

// exp() of it is nothing beside 1 in double precision.
constexpr double kLogNothing = -42;

// exp() of less would not be a normal number.
constexpr double kLogSmallest = -700;

// Where c varies more than this (only in the first steps of a run) the expansion is too coarse.
constexpr double kMaxRelativeVariance = 1e-3;

// Numbers in the table: each estimate with its two moments.
size_t table_size(size_t rows, size_t columns, const MemoryBudget& memory) {
  const uint64_t numbers = saturating_product(rows, columns, 3);
  memory.require(saturating_product(numbers, sizeof(float)),
                 fmt::format("a table of {} x {} label estimates", rows, columns));
  return numbers;
}

}  // namespace

DecaySums::DecaySums(const AdamConfig& config)
    : config_(config),
      log_beta1_(std::log(config.beta1)),
      log_beta2_(std::log(config.beta2)),
      settled_(static_cast<uint64_t>(kLogNothing / std::max(log_beta1_, log_beta2_))) {
  for (size_t i = 0; i < 3; ++i) {
    ratio_[i] = config.beta1 / std::pow(config.beta2, static_cast<double>(i + 1) / 2);
  }
}

// (1 - b2^step)^((power+1)/2) / (1 - b1^step)
double DecaySums::weight(size_t power, uint64_t step) const {
  const Decay decay = over(step);
  return std::pow(1 - decay.v, static_cast<double>(power + 1) / 2) / (1 - decay.m);
}

// Tails obey tail(t) = ratio (weight(t+1) + tail(t+1)). They are filled in blocks, each started
// from zero far enough behind its end that what was left out has died off.
void DecaySums::extend(uint64_t t) {
  constexpr uint64_t kBlock = 4096;
  while (tails_.size() <= t) {
    const uint64_t begin = tails_.size(), end = begin + kBlock;
    tails_.resize(end);
    for (size_t i = 0; i < 3; ++i) {
      double tail = 0;
      for (uint64_t j = end + kHorizon; j-- > begin;) {
        tail = ratio_[i] * (weight(i, j + 1) + tail);
        if (j < end) tails_[j][i] = tail;
      }
    }
  }
}

DecaySums::Decay DecaySums::over(uint64_t s) const {
  const auto power = [s](double log_beta) {
    const double exponent = log_beta * static_cast<double>(s);
    return exponent < kLogSmallest ? 0.0 : std::exp(exponent);
  };
  return {power(log_beta1_), power(log_beta2_)};
}

DecaySums::Sums DecaySums::between(uint64_t t, uint64_t s, const Decay& decay) {
  const uint64_t first = std::min(t, settled_), last = std::min(t + s, settled_);
  extend(last);
  double sum[3], rest = s > 4 * kHorizon ? 0.0 : decay.m;  // ratio_[i]^s
  const double root = s > 4 * kHorizon ? 1.0 : std::sqrt(decay.v);
  for (size_t i = 0; i < 3; ++i) {
    rest /= root;
    sum[i] = tails_[first][i] - rest * tails_[last][i];
  }
  const double center = sum[1] / sum[0];
  return {sum[0], center, std::max(0.0, sum[2] / sum[0] - center * center)};
}

std::span<const DecayTerm> DecaySums::terms(uint64_t t, uint64_t s) {
  terms_.clear();
  Decay last = over(t), decay;
  for (uint64_t j = 1; j <= std::min(s, kTerms); ++j) {
    last.m *= config_.beta1;
    last.v *= config_.beta2;
    decay.m *= config_.beta1;
    decay.v *= config_.beta2;
    terms_.push_back({static_cast<float>(decay.m / (1 - last.m)),
                      static_cast<float>(std::sqrt(decay.v / (1 - last.v)))});
  }
  return terms_;
}

LazyAdamTable::LazyAdamTable(size_t rows, size_t columns, const AdamConfig& config,
                             const MemoryBudget& memory)
    : rows_(rows),
      columns_(columns),
      config_(config),
      sums_(config),
      table_(table_size(rows, columns, memory)),
      last_step_(rows) {}

DecaySums::Decay LazyAdamTable::catch_up(const float* row, uint64_t last, float* out) {
  const float *u = row, *m = row + columns_, *v = row + 2 * columns_;
  const uint64_t missed = step_ - last;
  if (missed == 0 || last == 0) {  // a row never touched has no momentum
    std::copy_n(u, columns_, out);
    return {};
  }
  const DecaySums::Decay decay = sums_.over(missed);
  const DecaySums::Sums sums = sums_.between(last, missed, decay);
  const auto lr = static_cast<float>(config_.lr), eps = static_cast<float>(config_.eps);
  if (sums.variance > kMaxRelativeVariance * sums.center * sums.center) {
    catch_up_row(sums_.terms(last, missed), lr, eps, u, m, v, columns_, out);
  } else {
    const CatchUp constants = {static_cast<float>(config_.lr * sums.s1),
                               static_cast<float>(sums.center), static_cast<float>(sums.variance),
                               eps};
    catch_up_row(constants, u, m, v, columns_, out);
  }
  return decay;
}

void LazyAdamTable::prefetch(std::span<const int32_t> rows) const {
  for (const int32_t row : rows) {
    const auto r = static_cast<size_t>(row);
    spml::prefetch(table_.data() + r * 3 * columns_, 3 * columns_ * sizeof(float));
    spml::prefetch(&last_step_[r], sizeof(uint32_t));
  }
}

void LazyAdamTable::fetch(std::span<const int32_t> rows, View<float> values) {
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<size_t>(rows[i]);
    float* data = row_data(row);
    const DecaySums::Decay decay = catch_up(data, last_step_[row], values.row(i));
    const auto decay_m = static_cast<float>(decay.m), decay_v = static_cast<float>(decay.v);
    std::copy_n(values.row(i), columns_, data);
    for (size_t j = 0; j < columns_; ++j) data[columns_ + j] *= decay_m;
    for (size_t j = 0; j < columns_; ++j) data[2 * columns_ + j] *= decay_v;
    last_step_[row] = static_cast<uint32_t>(step_);
  }
}

void LazyAdamTable::apply(std::span<const int32_t> rows, View<const float> gradient) {
  const AdamStep constants(config_, ++step_);
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<size_t>(rows[i]);
    float* data = row_data(row);
    adam_row(constants, gradient.row(i), data, data + columns_, data + 2 * columns_, columns_);
    last_step_[row] = static_cast<uint32_t>(step_);
  }
}

void LazyAdamTable::read_row(size_t row, std::span<float> out) {
  catch_up(row_data(row), last_step_[row], out.data());
}

void LazyAdamTable::save_state(SafetensorsWriter& out) const {
  out.add("estimator.values", {table_.size()}, table_);
  out.add("estimator.last_steps", "I32", {last_step_.size()}, std::as_bytes(std::span(last_step_)));
}

void LazyAdamTable::load_state(const SafetensorsFile& in, uint64_t step) {
  load_columns(in, step, all_labels(columns_), all_labels(columns_));
}

void LazyAdamTable::load_columns(const SafetensorsFile& in, uint64_t step, const LabelPart& from,
                                 const LabelPart& mine) {
  const size_t size = saturating_product(rows_, 3, from.count, sizeof(float));
  copy_labels(tensor_bytes(in, "estimator.values", size).data(), from, table_.data(), mine,
              3 * rows_, 1);
  read_exactly(in, "estimator.last_steps", std::span(last_step_));
  if (std::ranges::any_of(last_step_, [&](uint32_t last) { return last > step; })) {
    fail("{}: a label estimate is ahead of step {}; start again with --overwrite",
         in.path().string(), step);
  }
  step_ = step;
}

}  // namespace spml
