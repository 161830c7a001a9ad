#include "decide/calibration.h"

#include <algorithm>
#include <cmath>

#include "decide/sigmoid.h"

namespace spml {
namespace {

// Keeps the curve where it is when the targets say nothing, e.g. with all logits equal.
constexpr double kRidge = 1e-6;
// A label whose scores say nothing still gets a rising curve, if a flat one.
constexpr double kLeastSlope = 0.02;

}  // namespace

float Calibration::probability(size_t label, float logit) const {
  return static_cast<float>(sigmoid(slope[label] * static_cast<double>(logit) + offset[label]));
}

void Calibration::apply(size_t first_label, View<float> logits) const {
  for (size_t i = 0; i < logits.rows; ++i) {
    for (size_t j = 0; j < logits.cols; ++j) {
      logits(i, j) = probability(first_label + j, logits(i, j));
    }
  }
}

namespace {

// Cross-entropy of the targets under a curve, with a ridge that keeps it near its start.
struct CurveProblem {
  std::span<const double> logits, targets;
  double first_slope, first_offset, ridge;

  struct Derivatives {
    double gs = 0, go = 0, hss = 0, hso = 0, hoo = 0;  // by slope and offset
  };
  double value(double slope, double offset, Derivatives* d = nullptr) const {
    const double s = slope - first_slope, o = offset - first_offset;
    double sum = ridge / 2 * (s * s / (first_slope * first_slope) + o * o);
    if (d != nullptr) {
      const double r = ridge / (first_slope * first_slope);
      *d = {r * s, ridge * o, r, 0, ridge};
    }
    for (size_t i = 0; i < logits.size(); ++i) {
      const double z = slope * logits[i] + offset, p = sigmoid(z), error = p - targets[i];
      sum += std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))) - targets[i] * z;
      if (d == nullptr) continue;
      const double w = p * (1 - p);
      d->gs += error * logits[i];
      d->go += error;
      d->hss += w * logits[i] * logits[i];
      d->hso += w * logits[i];
      d->hoo += w;
    }
    return sum;
  }
};

}  // namespace

// Newton's method with halved steps where a whole one overshoots.
void fit_curve(std::span<const double> logits, std::span<const double> targets, double& slope,
               double& offset) {
  const double least = kLeastSlope * slope;
  const CurveProblem problem{logits, targets, slope, offset,
                             kRidge * static_cast<double>(logits.size())};
  CurveProblem::Derivatives d;
  for (int iteration = 0; iteration < 100; ++iteration) {
    const double now = problem.value(slope, offset, &d);
    const double determinant = d.hss * d.hoo - d.hso * d.hso;
    double ds = -(d.hoo * d.gs - d.hso * d.go) / determinant;
    double step = -(d.hss * d.go - d.hso * d.gs) / determinant;
    if (slope + ds < least) {  // along the edge: the offset alone
      ds = least - slope;
      step = -(d.go + d.hso * ds) / d.hoo;
    }
    double length = 1, gain = 0;
    for (int halving = 0; halving < 40; ++halving, length /= 2) {
      gain = now - problem.value(slope + length * ds, offset + length * step);
      if (gain > 0) break;
    }
    if (!(gain > 0)) return;
    slope += length * ds;
    offset += length * step;
    if (gain < 1e-10 * std::max(1.0, now)) return;
  }
}

Reliability::Reliability(std::span<const double> sums) : bins_(kBins) {
  for (size_t i = 0; i < kBins; ++i) bins_[i] = {sums[3 * i], sums[3 * i + 1], sums[3 * i + 2]};
}

void Reliability::add(View<const float> probabilities, View<const int8_t> labels) {
  for (size_t i = 0; i < probabilities.size(); ++i) {
    const float p = probabilities.data[i];
    const size_t bin = p > 0 ? static_cast<size_t>(std::min(p, 1.0F) * kBins) : 0;  // NaN, too
    ReliabilityBin& entry = bins_[std::min(bin, kBins - 1)];
    ++entry.entries;
    entry.predicted += static_cast<double>(p);
    entry.positives += labels.data[i] > 0;
  }
}

double Reliability::error() const {
  double entries = 0, difference = 0;
  for (const ReliabilityBin& bin : bins_) {
    entries += bin.entries;
    difference += std::abs(bin.predicted - bin.positives);
  }
  return entries == 0 ? 0 : difference / entries;
}

}  // namespace spml
