#include "data/observe.h"

#include <algorithm>

#include "base/rng.h"

namespace spml {

LabelMatrix draw_observed(const LabelMatrix& truth, const ObserveOptions& options) {
  const size_t L = truth.cols();
  NumpyRandom random(options.seed);
  std::vector<int8_t> observed(truth.rows() * L, 0);
  std::vector<int8_t> y(L);
  std::vector<size_t> positives, negatives;
  for (size_t i = 0; i < truth.rows(); ++i) {
    truth.read_row(i, y);
    positives.clear();
    negatives.clear();
    for (size_t j = 0; j < L; ++j) (y[j] == 1 ? positives : negatives).push_back(j);
    // The authors' code shuffles both lists whatever is kept of them, which uses up random numbers.
    random.shuffle(std::span(positives));
    random.shuffle(std::span(negatives));
    int8_t* row = observed.data() + i * L;
    for (size_t p = 0; p < std::min(options.num_pos, positives.size()); ++p) row[positives[p]] = 1;
    for (size_t n = 0; n < std::min(options.num_neg, negatives.size()); ++n) row[negatives[n]] = -1;
  }
  return LabelMatrix(std::move(observed), truth.rows(), L);
}

}  // namespace spml
