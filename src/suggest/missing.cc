#include "suggest/missing.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/fail.h"
#include "base/parallel.h"
#include "decide/label_fit.h"
#include "decide/selection.h"
#include "ridge/known_labels.h"
#include "suggest/answers.h"
#include "suggest/named_label.h"

namespace spml {
namespace {

Calibration calibrate(View<const float> scores, const Evidence& evidence) {
  const View<const int8_t> known = evidence.known;
  const std::vector<double> frequency = observed_frequency(known);
  LabelFitInput input;
  input.logits = scores;
  input.labels = known;
  input.frequency = frequency;
  for (size_t i = 0; i < known.rows && !input.rows_may_be_empty; ++i) {
    const int8_t* row = known.row(i);
    input.rows_may_be_empty = std::find(row, row + known.cols, int8_t{1}) == row + known.cols;
  }
  input.want_interval = false;
  input.threads = evidence.threads;
  input.between_parts = evidence.between_parts;
  return fit_labels(input).calibration;
}

// logits += weight * calibrated logits of the scores
void add_calibrated(View<const float> scores, float weight, const Evidence& evidence,
                    Matrix<float>& logits) {
  const Calibration curve = calibrate(scores, evidence);
  for (size_t i = 0; i < scores.rows; ++i) {
    for (size_t j = 0; j < scores.cols; ++j) {
      logits(i, j) += weight * static_cast<float>(curve.slope[j] * scores(i, j) + curve.offset[j]);
    }
  }
}

Matrix<float> by_named_labels(const Evidence& evidence) {
  const View<const int8_t> known = evidence.known;
  Matrix<float> p(known.rows, known.cols);
  const float weight = evidence.logits.empty() || evidence.left_out.empty() ? 1.0f : 0.5f;
  if (!evidence.logits.empty()) add_calibrated(evidence.logits, weight, evidence, p);
  if (!evidence.left_out.empty()) {
    Matrix<float> scaled(evidence.left_out);
    for (float& score : scaled.flat()) score *= kScoreToLogit;
    add_calibrated(scaled, weight, evidence, p);
  }
  calibrate(p, evidence).apply(0, p.view());
  constexpr size_t kRowsAtOnce = 256;
  parallel_for((known.rows + kRowsAtOnce - 1) / kRowsAtOnce, evidence.threads, [&](size_t part) {
    NamedLabel named;
    const size_t end = std::min(known.rows, (part + 1) * kRowsAtOnce);
    for (size_t i = part * kRowsAtOnce; i < end; ++i) {
      named.condition({known.row(i), known.cols}, p.row(i));
    }
  });
  return p;
}

// The probability whose logit is larger by the logarithm of `factor`.
double moved(float p, double factor) {
  const double odds = factor * p;
  return odds / (odds + (1 - static_cast<double>(p)));
}

// Sums by blocks of rows, added in order: the same for any number of threads.
double sum_moved(const Matrix<float>& p, double factor, int threads) {
  constexpr size_t kRowsAtOnce = 256;
  std::vector<double> sums((p.rows() + kRowsAtOnce - 1) / kRowsAtOnce);
  parallel_for(sums.size(), threads, [&](size_t part) {
    const size_t end = std::min(p.rows(), (part + 1) * kRowsAtOnce);
    for (size_t i = part * kRowsAtOnce; i < end; ++i) {
      for (const float one : p.row(i)) sums[part] += moved(one, factor);
    }
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

// Makes the probabilities add up to the labels still missing by k, or to no more if k is a guess.
void agree_with_k(const Evidence& evidence, Matrix<float>& p) {
  if (!evidence.k) return;
  double missing = *evidence.k * static_cast<double>(p.rows());
  for (size_t i = 0; i < p.size(); ++i) missing -= evidence.known.data[i] > 0;
  missing = std::max(missing, 0.0);
  const double expected = sum_moved(p, 1, evidence.threads);
  if (expected <= 0 || (evidence.k_is_guess && expected <= missing)) return;
  double low = -20, high = 20;  // logarithms; beyond these a probability is 0 or 1
  for (int halvings = 0; halvings < 30; ++halvings) {
    if (evidence.between_parts) evidence.between_parts();
    const double middle = (low + high) / 2;
    (sum_moved(p, std::exp(middle), evidence.threads) < missing ? low : high) = middle;
  }
  const double factor = std::exp(low);
  for (float& one : p.flat()) one = static_cast<float>(moved(one, factor));
}

}  // namespace

Matrix<float> missing_probabilities(const Evidence& evidence) {
  if (evidence.logits.empty() && evidence.left_out.empty()) fail("expected scores, found none");
  if (auto answered = probabilities_by_answers(evidence)) return std::move(*answered);
  Matrix<float> p = by_named_labels(evidence);
  for (size_t i = 0; i < p.size(); ++i) {
    if (evidence.known.data[i] != 0) p.data()[i] = 0;
  }
  agree_with_k(evidence, p);
  return p;
}

}  // namespace spml
