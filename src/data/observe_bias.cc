#include "data/observe_bias.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
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

// Whether every sum of some of the weights is exact: all are whole multiples of one power of two,
// and their total is less than 2^53 of it.
bool sums_are_exact(std::span<const double> weights) {
  double total = 0;
  int lowest = std::numeric_limits<int>::max();  // exponent of the last bit that any has
  for (const double w : weights) {
    if (w == 0) continue;
    int exponent = 0;
    const auto digits = static_cast<uint64_t>(std::ldexp(std::frexp(w, &exponent), 53));
    lowest = std::min(lowest, exponent - 53 + std::countr_zero(digits));
    total += w;
  }
  return total == 0 || std::ldexp(total, -lowest) < 0x1p53;
}

// Sums over the beginnings of a list whose numbers are taken away one by one (Fenwick, 1994).
class Sums {
 public:
  explicit Sums(std::span<const double> values) : tree_(values.size() + 1) {
    for (size_t i = 1; i < tree_.size(); ++i) {
      total_ += values[i - 1];
      tree_[i] += values[i - 1];
      if (const size_t next = i + (i & -i); next < tree_.size()) tree_[next] += tree_[i];
    }
  }

  double total() const { return total_; }

  void take(size_t position, double value) {
    total_ -= value;
    for (size_t i = position + 1; i < tree_.size(); i += i & -i) tree_[i] -= value;
  }

  // The first position up to which the sum is more than `rest`, which is less than the total.
  size_t find(double rest) const {
    size_t position = 0;
    for (size_t step = std::bit_floor(tree_.size() - 1); step > 0; step /= 2) {
      if (position + step >= tree_.size() || tree_[position + step] > rest) continue;
      position += step;
      rest -= tree_[position];
    }
    return position;
  }

 private:
  std::vector<double> tree_;  // [i]: the sum of the i & -i numbers up to i, counted from 1
  double total_ = 0;
};

// `count` of the labels, one after another without replacement; gives each to `keep`. Where sums
// are exact, these are the draws of draw_position() from the labels that are left, without going
// through them.
template <class Keep>
void draw_exactly(std::span<const size_t> labels, std::span<const double> weights, size_t count,
                  CounterRng& random, const Keep& keep) {
  Sums left(std::vector<double>(labels.size(), 1)), mass(weights);
  for (; count > 0; --count) {
    const size_t i =
        mass.total() > 0
            ? mass.find(random.uniform() * mass.total())
            : left.find(static_cast<double>(random.below(static_cast<uint64_t>(left.total()))));
    keep(labels[i]);
    left.take(i, 1);
    mass.take(i, weights[i]);
  }
}

template <class Keep>
void draw_without_replacement(std::vector<size_t>& labels, std::vector<double>& weights,
                              size_t count, CounterRng& random, std::string_view where,
                              const Keep& keep) {
  constexpr uint64_t kMaxWork = 1'000'000'000;  // seconds
  count = std::min(count, labels.size());
  if (count == 0) return;
  if (sums_are_exact(weights)) return draw_exactly(labels, weights, count, random, keep);
  if (saturating_product(count, labels.size()) > kMaxWork) {
    fail("{}: cannot draw {} of {} labels whose weights differ so much in size; draw fewer", where,
         count, labels.size());
  }
  for (; count > 0; --count) {
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
  const std::vector<bool> complete = complete_rows(truth.rows(), options);
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
    const std::string where = fmt::format("{}: row {}", truth.source(), i);
    draw_without_replacement(positives, w_positive, options.num_pos, random, where,
                             [row](size_t j) { row[j] = 1; });
    draw_without_replacement(negatives, w_negative, options.num_neg, random, where,
                             [row](size_t j) { row[j] = -1; });
    if (!complete[i]) continue;
    for (size_t j = 0; j < L; ++j) row[j] = y[j] == 1 ? 1 : -1;
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

RowWeights only_largest(RowWeights weights, const LabelMatrix& truth) {
  const auto labels = std::make_shared<std::vector<int8_t>>(truth.cols());
  return [weights = std::move(weights), &truth, labels](size_t row, std::span<float> out) {
    weights(row, out);
    truth.read_row(row, *labels);
    size_t largest = out.size();
    for (size_t j = 0; j < out.size(); ++j) {
      if ((*labels)[j] == 1 && (largest == out.size() || out[j] > out[largest])) largest = j;
    }
    for (size_t j = 0; j < out.size(); ++j) out[j] = j == largest ? 1.0F : 0.0F;
  };
}

RowWeights score_bias(const Path& file, double strength, const LabelMatrix& truth) {
  const auto scores = std::make_shared<NpyArray>(file);
  if (scores->rows() != truth.rows() || scores->cols() != truth.cols()) {
    fail("{}: expected {} x {} scores as the labels have, found {} x {}", file.string(),
         truth.rows(), truth.cols(), scores->rows(), scores->cols());
  }
  const auto labels = std::make_shared<std::vector<int8_t>>(truth.cols());
  return [scores, strength, &truth, labels](size_t row, std::span<float> out) {
    scores->read_row(row, out);
    truth.read_row(row, *labels);
    double most = -std::numeric_limits<double>::infinity();
    for (size_t j = 0; j < out.size(); ++j) {
      if (!std::isfinite(out[j])) {
        fail("{}: expected a finite score, found {} at row {}, column {}", scores->path().string(),
             out[j], row, j);
      }
      if ((*labels)[j] == 1) most = std::max(most, strength * static_cast<double>(out[j]));
    }
    for (size_t j = 0; j < out.size(); ++j) {  // relative to the most evident: no overflow
      const double relative = strength * static_cast<double>(out[j]) - most;
      out[j] = (*labels)[j] == 1 ? static_cast<float>(std::exp(relative)) : 0.0F;
    }
  };
}

RowWeights mixed_bias(std::vector<RowWeights> annotators, uint64_t seed) {
  return [annotators = std::move(annotators), seed](size_t row, std::span<float> out) {
    CounterRng random(seed, Stream::kAnnotator, row);
    annotators[random.below(annotators.size())](row, out);
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
