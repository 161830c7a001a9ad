// Drawing observed labels from truth, bit-exact with the authors' code.
#pragma once

#include <cstdint>
#include <vector>

#include "base/numpy_random.h"
#include "data/dataset.h"
#include "spml/data.h"

namespace spml {

// The observed labels of a file, drawn row after row in {-1, 0, +1}: num_pos of the positives and
// num_neg of the negatives, chosen by RandomState(seed) shuffles that go on over the whole file
// (see docs/formats.md). Rows with fewer keep all.
class ObservedDraw {
 public:
  explicit ObservedDraw(const ObserveOptions& options) : options_(options), random_(options.seed) {}

  void next_row(std::span<const int8_t> truth, std::span<int8_t> observed);  // (L) each

 private:
  ObserveOptions options_;
  NumpyRandom random_;
  std::vector<size_t> positives_, negatives_;
};

// Which rows are complete, by random numbers of their own: the other rows are observed as without.
std::vector<bool> complete_rows(size_t rows, const ObserveOptions& options);

// All rows, N x L, with some of them complete if asked for; Error when they do not fit in memory.
LabelMatrix draw_observed(const LabelMatrix& truth, const ObserveOptions& options,
                          const MemoryBudget& memory = {});

}  // namespace spml
