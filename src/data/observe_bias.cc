#include "data/observe_bias.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/fail.h"
#include "base/folders.h"
#include "base/rng.h"

namespace spml {
namespace {

// Position of one draw: proportional to the weights or, when all are 0, uniform.
size_t draw_position(std::span<const double> weights, CounterRng& random) {
  double total = 0;
  for (const double w : weights) total += w;
  if (total == 0) return random.below(weights.size());
  double rest = random.uniform() * total;
  size_t last = 0;  // rounding may leave a little after the last weight
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    last = i;
    rest -= weights[i];
    if (rest < 0) break;
  }
  return last;
}

// `count` of the labels, one after another without replacement; gives each to `keep`.
template <class Keep>
void draw_without_replacement(std::vector<size_t>& labels, std::vector<double>& weights,
                              size_t count, CounterRng& random, const Keep& keep) {
  for (count = std::min(count, labels.size()); count > 0; --count) {
    const size_t i = draw_position(weights, random);
    keep(labels[i]);
    labels.erase(labels.begin() + static_cast<std::ptrdiff_t>(i));
    weights.erase(weights.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void check_weights(std::span<const float> weights, std::string_view where, size_t row) {
  for (size_t j = 0; j < weights.size(); ++j) {
    if (!(weights[j] >= 0) || std::isinf(weights[j])) {
      fail("{}: expected a weight of at least 0, found {} at row {}, column {}", where, weights[j],
           row, j);
    }
  }
}

}  // namespace

LabelMatrix draw_observed_weighted(const LabelMatrix& truth, const ObserveOptions& options,
                                   const RowWeights& weights, const MemoryBudget& memory) {
  const size_t L = truth.cols();
  memory.require(saturating_product(truth.rows(), L),
                 fmt::format("{}: drawing observed labels from it", truth.source()));
  std::vector<int8_t> observed(truth.rows() * L, 0);
  std::vector<int8_t> y(L);
  std::vector<float> row_weights(L);
  std::vector<size_t> positives, negatives;
  std::vector<double> w_positive, w_negative;
  for (size_t i = 0; i < truth.rows(); ++i) {
    truth.read_row(i, y);
    weights(i, row_weights);
    positives.clear(), negatives.clear(), w_positive.clear();
    for (size_t j = 0; j < L; ++j) {
      (y[j] == 1 ? positives : negatives).push_back(j);
      if (y[j] == 1) w_positive.push_back(row_weights[j]);
    }
    w_negative.assign(negatives.size(), 0);  // all alike
    CounterRng random(options.seed, Stream::kObserve, i);
    int8_t* row = observed.data() + i * L;
    draw_without_replacement(positives, w_positive, options.num_pos, random,
                             [row](size_t j) { row[j] = 1; });
    draw_without_replacement(negatives, w_negative, options.num_neg, random,
                             [row](size_t j) { row[j] = -1; });
  }
  return LabelMatrix(std::move(observed), truth.rows(), L);
}

RowWeights class_bias(std::vector<float> weights) {
  return [weights = std::move(weights)](size_t, std::span<float> out) {
    if (weights.size() != out.size()) {
      fail("expected {} class weights, one per label, found {}", out.size(), weights.size());
    }
    std::copy(weights.begin(), weights.end(), out.begin());
  };
}

RowWeights box_bias(const Path& path, const LabelMatrix& truth) {
  if (!path_exists(path)) {
    fail(
        "{}: no such file; a bias by area or centre needs the boxes that `spml import voc` and "
        "`spml import coco` keep",
        path.string());
  }
  const auto boxes = std::make_shared<NpyArray>(path);  // std::function wants copies
  if (boxes->rows() != truth.rows() || boxes->cols() != truth.cols()) {
    fail("{}: expected {} x {} as the labels have, found {} x {}", path.string(), truth.rows(),
         truth.cols(), boxes->rows(), boxes->cols());
  }
  return [boxes](size_t row, std::span<float> out) {
    boxes->read_row(row, out);
    check_weights(out, boxes->path().string(), row);
  };
}

std::vector<float> class_frequencies(const LabelMatrix& truth) {
  std::vector<float> counts(truth.cols());
  std::vector<int8_t> row(truth.cols());
  for (size_t i = 0; i < truth.rows(); ++i) {
    truth.read_row(i, row);
    for (size_t j = 0; j < row.size(); ++j) counts[j] += row[j] == 1;
  }
  return counts;
}

}  // namespace spml
