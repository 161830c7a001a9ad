#include "decide/quality.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spml {
namespace {

constexpr double kDeviations = 1.645;  // of a 90 % interval

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

// Of one label or of all.
struct Sums {
  double right = 0, decided = 0, there = 0;  // right: decided and expected to be there
  double precision() const { return ratio(right, decided); }
  double recall() const { return ratio(right, there); }
  double f1() const { return ratio(2 * right, decided + there); }
};

// What is decided does not depend on the curve that says how often it is right.
std::vector<Sums> sums_by_label(View<const float> logits, const Calibration& decides,
                                const Calibration& judges, std::span<const float> thresholds) {
  std::vector<Sums> sums(logits.cols);
  for (size_t i = 0; i < logits.rows; ++i) {
    for (size_t j = 0; j < logits.cols; ++j) {
      const auto p = static_cast<double>(judges.probability(j, logits(i, j)));
      sums[j].there += p;
      if (decides.probability(j, logits(i, j)) < thresholds[j]) continue;
      sums[j].right += p;
      ++sums[j].decided;
    }
  }
  return sums;
}

Sums total_of(std::span<const Sums> labels) {
  Sums total;
  for (const Sums& one : labels) {
    total.right += one.right;
    total.decided += one.decided;
    total.there += one.there;
  }
  return total;
}

void widen(Expected& expected, double value) {
  expected.low = std::min(expected.low, value);
  expected.high = std::max(expected.high, value);
}

// As far as so many cases, each right or wrong, can tell a share.
void widen_by_sample(Expected& share, double cases) {
  const double variance = share.value * (1 - share.value) / std::max(cases, 1.0);
  const double reach = kDeviations * std::sqrt(variance + 0.25 / std::max(cases * cases, 1.0));
  share.low = std::max(0.0, share.low - reach);
  share.high = std::min(1.0, share.high + reach);
}

Expected exactly(double value) { return {value, value, value}; }

}  // namespace

ExpectedQuality expected_quality(View<const float> logits, View<const int8_t> known,
                                 const LabelFit& fit, std::span<const float> thresholds) {
  const auto sums = [&](const Calibration& judges) {
    return sums_by_label(logits, fit.calibration, judges, thresholds);
  };
  const std::vector<Sums> labels = sums(fit.calibration);
  const Sums total = total_of(labels);
  ExpectedQuality quality;
  quality.rows = logits.rows;
  quality.complete_rows = fit.complete_rows;
  quality.precision = exactly(total.precision());
  quality.recall = exactly(total.recall());
  quality.f1 = exactly(total.f1());
  for (const Calibration& other : fit.alternatives) {
    const std::vector<Sums> by_label = sums(other);
    const Sums otherwise = total_of(by_label);
    widen(quality.precision, otherwise.precision());
    widen(quality.recall, otherwise.recall());
    widen(quality.f1, otherwise.f1());
  }
  for (const Sums& one : labels) quality.label_f1.push_back(one.f1());
  double positives = 0, found = 0, squares = 0;
  for (size_t i = 0; i < logits.rows; ++i) {
    double decided = 0;
    for (size_t j = 0; j < logits.cols; ++j) {
      const bool yes = fit.calibration.probability(j, logits(i, j)) >= thresholds[j];
      decided += yes;
      positives += known(i, j) > 0;
      found += known(i, j) > 0 && yes;
    }
    squares += decided * decided;
  }
  const double rows = std::max(static_cast<double>(logits.rows), 1.0);
  const double tags = total.decided / rows;
  const double reach = kDeviations * std::sqrt(std::max(squares / rows - tags * tags, 0.0) / rows);
  quality.tags = {tags, std::max(0.0, tags - reach), tags + reach};
  quality.found = exactly(ratio(found, positives));
  widen_by_sample(quality.found, positives);
  // Complete rows, if there are some, are what probabilities were learnt from.
  const double share =
      (fit.complete_rows > 0 ? static_cast<double>(fit.complete_rows) : rows) / rows;
  widen_by_sample(quality.precision, share * total.decided);
  widen_by_sample(quality.recall, share * total.there);
  widen_by_sample(quality.f1, share * (total.decided + total.there) / 2);
  return quality;
}

std::vector<size_t> weakest_labels(const ExpectedQuality& quality, size_t count) {
  std::vector<size_t> labels(quality.label_f1.size());
  std::iota(labels.begin(), labels.end(), size_t{0});
  std::ranges::stable_sort(labels, {}, [&](size_t label) { return quality.label_f1[label]; });
  labels.resize(std::min(count, labels.size()));
  return labels;
}

}  // namespace spml
