#include "decide/label_model.h"

#include <algorithm>
#include <cmath>

#include "base/fail.h"
#include "base/parallel.h"

namespace spml {
namespace {

constexpr size_t kShared = 3;  // a, b, c stand before d and e
constexpr size_t kBlock = 64;  // rows summed together, whatever the number of threads
constexpr size_t kMostEntries = 1'500'000, kMostWeighted = 150'000,
                 kMostWeightedRows = 1000;  // logits that are looked at
constexpr double kMostEvident = 6;          // logits beyond this are all alike to annotators
constexpr double kSlopeDeviation = 2, kFrequencyDeviation = 1;       // of b and c
constexpr double kOffsetDeviation = 0.5, kOwnSlopeDeviation = 0.25;  // of d and e

// The standard deviation of a label's logits over rows, but at least half the overall one. Weak
// classifiers of many labels differ far more between labels than between rows; a slope scaled to
// the rows would then predict the same labels for every row, with certainty.
double deviation_of(View<const float> logits, const std::vector<size_t>& rows) {
  const auto n = static_cast<double>(rows.size()), labels = static_cast<double>(logits.cols);
  double within = 0, mean = 0, all = 0;
  for (size_t j = 0; j < logits.cols; ++j) {
    double sum = 0, square = 0;
    for (const size_t i : rows) {
      const auto z = static_cast<double>(logits(i, j));
      sum += z;
      square += z * z;
    }
    within += std::max(0.0, square / n - (sum / n) * (sum / n)) / labels;
    mean += sum / n / labels;
    all += square / n / labels;
  }
  return std::max(std::sqrt(within), std::sqrt(std::max(0.0, all - mean * mean)) / 2);
}

double penalty(double value, double deviation, double& gradient) {
  gradient += value / (deviation * deviation);
  return value * value / (2 * deviation * deviation);
}

}  // namespace

// Sums over rows, of each label: the gradient by its logits, and that times the logits; of the log
// likelihood and of the expected number of labels.
struct LabelModel::Sums {
  explicit Sums(size_t labels)
      : likelihood(labels),
        likelihood_z(labels),
        expected(labels),
        expected_z(labels),
        by_taste(labels) {}
  void add(const Sums& other) {
    value += other.value;
    count += other.count;
    by_prominence += other.by_prominence;
    for (size_t j = 0; j < likelihood.size(); ++j) {
      likelihood[j] += other.likelihood[j];
      likelihood_z[j] += other.likelihood_z[j];
      expected[j] += other.expected[j];
      expected_z[j] += other.expected_z[j];
      by_taste[j] += other.by_taste[j];
    }
  }
  double value = 0, count = 0, by_prominence = 0;
  std::vector<double> likelihood, likelihood_z, expected, expected_z, by_taste;
};

struct LabelModel::Taste {
  double prominence = 0;
  std::vector<double> classes;  // (L)
};

struct LabelModel::Row {
  Row(bool never_empty, size_t labels)
      : model(never_empty), logits(labels), gradient(labels), evident(labels), by_weight(labels) {}
  RowObservation model;
  RowNaming naming;
  std::vector<double> logits, gradient;    // (L) set by the caller, added to
  std::vector<double> evident, by_weight;  // (L) scratch
  double by_prominence = 0;                // gradients, of the row added last
};

bool LabelModel::is_complete(size_t row) const {
  const std::span labels(input_.labels.row(row), input_.labels.cols);
  return std::ranges::none_of(labels, [](int8_t label) { return label == 0; });
}

LabelModel::LabelModel(const LabelFitInput& input, std::optional<Preference> preference)
    : input_(input), preference_(preference) {
  const size_t labels = input.logits.cols;
  std::vector<size_t> useful;
  bool some_empty = false, all_complete = true;
  for (size_t i = 0; i < input.logits.rows; ++i) {
    const std::span row(input.labels.row(i), labels);
    const bool positive = std::ranges::any_of(row, [](int8_t label) { return label > 0; });
    const bool complete = is_complete(i);
    some_empty |= !positive && (complete || input.rows_may_be_empty);
    if (!positive && !complete && !input.rows_may_be_empty) continue;
    all_complete &= complete;
    useful.push_back(i);
  }
  if (useful.empty()) {
    fail("expected validation rows with a label, to learn probabilities from, found none");
  }
  size_t most = std::max<size_t>(1, (preference ? kMostWeighted : kMostEntries) / labels);
  if (preference) most = std::min(most, kMostWeightedRows);
  const size_t step = (useful.size() + most - 1) / most;
  // Complete rows say too much to be thinned, unless there are many of them.
  const auto count = static_cast<size_t>(
      std::ranges::count_if(useful, [this](size_t row) { return is_complete(row); }));
  const bool keep = count <= most / 2;
  for (size_t i = 0; i < useful.size(); ++i) {
    if (i % step == 0 || (keep && is_complete(useful[i]))) rows_.push_back(useful[i]);
  }
  for (const size_t row : rows_) complete_ += is_complete(row);
  never_empty_ = !some_empty && !all_complete;
  own_slopes_ = complete_ > 0;
  if (preference && preference->rows_for_each_complete > 0 && partial_rows() > 0) {
    const double count_as = preference->rows_for_each_complete * static_cast<double>(complete_);
    partial_weight_ = std::min(1.0, count_as / static_cast<double>(partial_rows()));
  }
  double mean = 0;
  for (const double share : input.frequency) {
    log_frequency_.push_back(std::log(std::max(share, 1e-6)));
    mean += log_frequency_.back() / static_cast<double>(labels);
  }
  for (double& value : log_frequency_) value -= mean;
  first_slope_ = std::log(2 / std::max(deviation_of(input.logits, rows_), 1e-2));
}

Calibration LabelModel::curves(std::span<const double> parameters) const {
  const size_t labels = input_.logits.cols;
  Calibration curve;
  for (size_t j = 0; j < labels; ++j) {
    const double own = own_slopes_ ? parameters[kShared + labels + j] : 0;
    curve.slope.push_back(std::exp(std::clamp(parameters[1] + own, -12.0, 12.0)));
    curve.offset.push_back(parameters[0] + parameters[2] * log_frequency_[j] +
                           parameters[kShared + j]);
  }
  return curve;
}

std::vector<double> LabelModel::start(double k) const {
  const size_t labels = input_.logits.cols;
  std::vector<double> x(first_of_taste() + (preference_ ? 1 + labels : 0));
  x[1] = first_slope_;
  if (preference_) x[first_of_taste()] = preference_->prominence;
  float largest = 0;
  for (const float z : input_.logits.flat()) largest = std::max(largest, std::abs(z));
  double high = 60 + std::exp(first_slope_) * static_cast<double>(largest), low = -high;
  for (int halving = 0; halving < 50; ++halving) {
    x[0] = (low + high) / 2;
    const Calibration curve = curves(x);
    double sum = 0;
    for (const size_t i : rows_) {
      for (size_t j = 0; j < labels; ++j) {
        sum += static_cast<double>(curve.probability(j, input_.logits(i, j)));
      }
    }
    (sum > k * static_cast<double>(rows_.size()) ? high : low) = x[0];
  }
  return x;
}

void LabelModel::row_logits(size_t row, const Calibration& curve, std::span<double> out) const {
  const float* z = input_.logits.row(row);
  for (size_t j = 0; j < out.size(); ++j) {
    out[j] = curve.slope[j] * static_cast<double>(z[j]) + curve.offset[j];
  }
}

// The log likelihood of a row's labels; its gradient by the logits is added.
double LabelModel::add_row(size_t row, const Taste& taste, Row& at) const {
  const std::span<const double> logits(at.logits);
  const std::span<double> gradient(at.gradient);
  RowObservation& model = at.model;
  at.by_prominence = 0;
  const std::span labels(input_.labels.row(row), input_.labels.cols);
  if (is_complete(row)) {
    double value = 0, chance = 1;  // chance: of labels whose logarithm is still to be taken
    for (size_t j = 0; j < labels.size(); ++j) {
      const bool positive = labels[j] > 0;
      const double z = logits[j], tail = std::exp(-std::abs(z)), likely = 1 / (1 + tail);
      gradient[j] += (positive ? 1 : 0) - (z > 0 ? likely : tail * likely);
      chance *= likely;
      if (positive != (z > 0)) value -= std::abs(z);
      if (chance < 1e-100) {
        value += std::log(chance);
        chance = 1;
      }
    }
    value += std::log(chance);
    return value - model.log_some(-1, gradient);
  }
  const bool empty = std::ranges::none_of(labels, [](int8_t label) { return label > 0; });
  if (empty) return model.log_empty(1, gradient);
  return preference_ ? add_named(labels, taste, at) : model.mean_log_likelihood(labels, gradient);
}

size_t LabelModel::first_of_taste() const {
  return kShared + input_.logits.cols * (own_slopes_ ? 2 : 1);
}

LabelModel::Taste LabelModel::taste(std::span<const double> parameters) const {
  if (!preference_) return {};
  const auto own = parameters.subspan(first_of_taste());
  return {own[0], {own.begin() + 1, own.end()}};
}

double LabelModel::prominence(std::span<const double> parameters) const {
  return preference_ ? parameters[first_of_taste()] : 0;
}

// The mean over the labels that are known to be there, as if each had been named first. Weights
// move with the logits, too.
double LabelModel::add_named(std::span<const int8_t> labels, const Taste& taste, Row& at) const {
  const size_t L = labels.size();
  for (size_t j = 0; j < L; ++j) {
    const double evident = std::clamp(at.logits[j], -kMostEvident, kMostEvident);
    at.evident[j] = taste.prominence * evident + taste.classes[j];
  }
  at.naming.set(at.logits, at.evident, labels);
  std::ranges::fill(at.by_weight, 0);
  const double value = at.naming.mean_log_likelihood(labels, at.gradient, at.by_weight) -
                       at.model.log_some(-1, at.gradient);
  for (size_t j = 0; j < L; ++j) {
    at.by_prominence += at.by_weight[j] * std::clamp(at.logits[j], -kMostEvident, kMostEvident);
    if (std::abs(at.logits[j]) < kMostEvident) {
      at.gradient[j] += taste.prominence * at.by_weight[j];
    }
  }
  return value;
}

LabelModel::Sums LabelModel::sum_over_rows(const Calibration& curve, const Taste& taste) const {
  if (input_.between_parts) input_.between_parts();
  const size_t labels = input_.logits.cols;
  const size_t blocks = (rows_.size() + kBlock - 1) / kBlock;
  std::vector<Sums> partial(blocks, Sums(labels));
  parallel_for(blocks, input_.threads, [&](size_t block) {
    Sums& sums = partial[block];
    Row at(never_empty_, labels);
    std::vector<double> expected(labels);
    const size_t end = std::min(rows_.size(), (block + 1) * kBlock);
    for (size_t r = block * kBlock; r < end; ++r) {
      std::ranges::fill(at.gradient, 0);
      std::ranges::fill(at.by_weight, 0);
      std::ranges::fill(expected, 0);
      const float* z = input_.logits.row(rows_[r]);
      row_logits(rows_[r], curve, at.logits);
      const bool complete = is_complete(rows_[r]);
      const std::span labels_of_row(input_.labels.row(rows_[r]), labels);
      at.model.set(at.logits, complete ? std::span<const int8_t>() : labels_of_row,
                   !complete && !preference_);
      const double weight = complete ? 1 : partial_weight_;
      sums.value += weight * add_row(rows_[r], taste, at);
      sums.count += at.model.expected(1, expected);
      sums.by_prominence += weight * at.by_prominence;
      for (size_t j = 0; j < labels; ++j) {
        const double gradient = weight * at.gradient[j];
        sums.likelihood[j] += gradient;
        sums.likelihood_z[j] += gradient * static_cast<double>(z[j]);
        sums.expected[j] += expected[j];
        sums.expected_z[j] += expected[j] * static_cast<double>(z[j]);
        sums.by_taste[j] += weight * at.by_weight[j];
      }
    }
  });
  Sums total(labels);
  for (const Sums& sums : partial) total.add(sums);
  return total;
}

double LabelModel::objective(std::span<const double> x, std::span<const Belief> beliefs,
                             std::span<double> gradient) const {
  const size_t labels = input_.logits.cols;
  const Calibration curve = curves(x);
  const Sums sums = sum_over_rows(curve, taste(x));
  double value = -sums.value, by_count = 0;
  const double log_k = std::log(std::max(sums.count, 1e-9) / static_cast<double>(rows_.size()));
  for (const Belief& belief : beliefs) {
    value += penalty(log_k - belief.centre, belief.deviation, by_count);
  }
  by_count /= std::max(sums.count, 1e-9);
  std::ranges::fill(gradient, 0);
  for (size_t j = 0; j < labels; ++j) {
    const double g = -sums.likelihood[j] + by_count * sums.expected[j];
    const double gz = (-sums.likelihood_z[j] + by_count * sums.expected_z[j]) * curve.slope[j];
    gradient[0] += g;
    gradient[1] += gz;
    gradient[2] += g * log_frequency_[j];
    double& by_offset = gradient[kShared + j];
    by_offset += g;
    value += penalty(x[kShared + j], kOffsetDeviation, by_offset);
    if (!own_slopes_) continue;
    double& by_slope = gradient[kShared + labels + j];
    by_slope += gz;
    value += penalty(x[kShared + labels + j], kOwnSlopeDeviation, by_slope);
  }
  value += penalty(x[1] - first_slope_, kSlopeDeviation, gradient[1]);
  value += penalty(x[2], kFrequencyDeviation, gradient[2]);
  if (preference_) {
    const size_t first = first_of_taste();
    gradient[first] = -sums.by_prominence;
    value += penalty(x[first] - preference_->prominence, preference_->prominence_deviation,
                     gradient[first]);
    for (size_t j = 0; j < labels && preference_->class_deviation > 0; ++j) {
      gradient[first + 1 + j] = -sums.by_taste[j];
      value += penalty(x[first + 1 + j], preference_->class_deviation, gradient[first + 1 + j]);
    }
  }
  return value;
}

LabelModel::Summary LabelModel::summary(std::span<const double> parameters) const {
  const size_t labels = input_.logits.cols;
  const Calibration curve = curves(parameters);
  Summary summary;
  summary.present.resize(labels);
  summary.observed.resize(labels);
  const auto n = static_cast<double>(rows_.size());
  const Taste preferred = taste(parameters);
  Row at(never_empty_, labels);
  std::vector<double> scratch(labels), named(labels);
  for (const size_t row : rows_) {
    row_logits(row, curve, at.logits);
    at.model.set(at.logits, {});
    summary.k += at.model.expected(0, scratch) / n;
    observed_probabilities(preferred, at, named);
    for (size_t j = 0; j < labels; ++j) {
      summary.present[j] += at.model.present(j) / n;
      summary.observed[j] += named[j] / n;
    }
    summary.likeliest.push_back(*std::ranges::max_element(named));
    if (!is_complete(row)) {
      at.model.set(at.logits, std::span(input_.labels.row(row), labels));
    }
    summary.log_likelihood += add_row(row, preferred, at) / n;
  }
  return summary;
}

void LabelModel::observed_probabilities(const Taste& taste, Row& at, std::span<double> out) const {
  if (!preference_) return at.model.observed_probabilities(out);
  for (size_t j = 0; j < out.size(); ++j) {
    const double evident = std::clamp(at.logits[j], -kMostEvident, kMostEvident);
    at.evident[j] = taste.prominence * evident + taste.classes[j];
  }
  at.naming.set(at.logits, at.evident, {});
  at.naming.observed_probabilities(out);
  const double some = at.model.log_some(0, at.gradient);
  for (double& q : out) q /= std::exp(some);
}

std::vector<LabelModel::Column> LabelModel::columns(std::span<const double> parameters) const {
  const size_t labels = input_.logits.cols;
  const Calibration curve = curves(parameters);
  std::vector<Column> columns(labels);
  RowObservation model(never_empty_);
  std::vector<double> logits(labels);
  for (const size_t row : rows_) {
    row_logits(row, curve, logits);
    model.set(logits, {});
    for (size_t j = 0; j < labels; ++j) {
      columns[j].logits.push_back(static_cast<double>(input_.logits(row, j)));
      columns[j].present.push_back(std::min(model.present(j), 1.0));
    }
  }
  return columns;
}

double LabelModel::log_likelihood_by_frequency() const {
  double all = 0, sum = 0;
  for (const double share : input_.frequency) all += std::max(share, 1e-6);
  size_t rows = 0;
  for (const size_t row : rows_) {
    double value = 0, positives = 0;
    for (size_t j = 0; j < input_.labels.cols; ++j) {
      if (input_.labels(row, j) <= 0) continue;
      value += std::log(std::max(input_.frequency[j], 1e-6) / all);
      ++positives;
    }
    if (positives == 0) continue;
    sum += value / positives;
    ++rows;
  }
  return rows > 0 ? sum / static_cast<double>(rows) : 0;
}

LabelModel::Belief LabelModel::count_of_complete_rows() const {
  double sum = 0, squares = 0;
  for (const size_t row : rows_) {
    if (!is_complete(row)) continue;
    const std::span labels(input_.labels.row(row), input_.labels.cols);
    const auto count =
        static_cast<double>(std::ranges::count_if(labels, [](int8_t label) { return label > 0; }));
    sum += count;
    squares += count * count;
  }
  const auto n = static_cast<double>(complete_);
  const double mean = sum / n;
  const double variance = std::max(squares / n - mean * mean, 0.05 * mean);
  return {std::log(std::max(mean, 1e-3)), std::sqrt(variance / n) / std::max(mean, 1e-3)};
}

}  // namespace spml
