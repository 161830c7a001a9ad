// Rows of experiments that are counted rather than trained (tables A2 and A3), and other label
// counts.
#pragma once

#include <map>
#include <optional>

#include "data/estimate_k.h"
#include "data/stats.h"
#include "reproduce/definition.h"

namespace spml {

// The statistics of a training file that rows ask for, each counted once.
class CountedRows {
 public:
  // The data must outlive this object.
  CountedRows(const Dataset& data, int threads) : data_(data), threads_(threads) {}

  double value(const ExperimentRow& row);  // Error without full labels

 private:
  const KInterval& interval(size_t labelled_rows);
  const PerRow& positives();

  const Dataset& data_;
  int threads_;
  std::map<size_t, KInterval> intervals_;
  std::optional<PerRow> positives_;
};

// `count` values from the 5th to the 95th percentile of the k that the labelled rows yield.
std::vector<double> k_values(const Dataset& data, size_t labelled_rows, size_t count, int threads);

// How many labels a loss sees in a row, on average.
double labels_seen_per_row(const Dataset& data, const std::string& loss);

}  // namespace spml
