#include "train/estimator.h"

#include <algorithm>
#include <numeric>

#include "base/aligned.h"
#include "base/fail.h"

namespace spml {
namespace {

// Probabilities held at once.
constexpr size_t kBlockEstimates = size_t{1} << 20;

}  // namespace

void LabelEstimator::load_labels(const SafetensorsFile&, uint64_t, const LabelPart&) {
  fail("only a table of label estimates is kept by several ranks; leave out --estimator");
}

double mean_positives(LabelEstimator& estimator) {
  const size_t n = estimator.rows(), labels = estimator.labels();
  if (labels == 0 || n == 0) return 0;
  const size_t block = std::clamp<size_t>(kBlockEstimates / labels, 1, n);
  AlignedVector<float> values(block * labels);
  double sum = 0;
  for (size_t first = 0; first < n; first += block) {
    const View<float> rows{values.data(), std::min(block, n - first), labels};
    estimator.probabilities(first, rows);
    for (size_t i = 0; i < rows.rows; ++i) {
      sum += std::accumulate(rows.row(i), rows.row(i) + labels, 0.0);
    }
  }
  return sum / static_cast<double>(n);
}

}  // namespace spml
