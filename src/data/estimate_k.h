// Table A2: how well k, the expected positives per row, is known from a few fully labelled rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/memory_budget.h"
#include "data/label_matrix.h"

namespace spml {

struct KInterval {
  size_t size = 0;           // M, the rows that are labelled
  double low = 0, high = 0;  // 5th and 95th percentile of the mean over M rows
};

struct KEstimate {
  double k = 0;  // the mean over all rows
  std::vector<KInterval> intervals;
};

struct KOptions {
  std::vector<size_t> sizes = {5, 10, 25};
  size_t trials = 100000;  // each draws M rows without replacement
  uint64_t seed = 0;
  int threads = 1;  // the result does not depend on it
};

// Error when a number for each row and thread does not fit in memory.
KEstimate estimate_k(const LabelMatrix& truth, const KOptions& options,
                     const MemoryBudget& memory = {});

// The q-th quantile (0 to 1) of ascending values, interpolated as numpy.percentile does.
double percentile(std::span<const double> ascending, double q);

}  // namespace spml
