// Table A3 for any data: how many labels rows have.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "data/dataset.h"

namespace spml {

struct PerRow {
  size_t min = 0, max = 0;
  double mean = 0;
};

struct LabelStats {
  PerRow per_row;
  std::vector<size_t> class_counts;   // L values: rows in which the class is positive
  std::vector<size_t> rows_by_count;  // [c] = rows with c positives; ends at the maximum
};

struct PartStats {
  size_t rows = 0, labels = 0;
  std::optional<LabelStats> truth;  // positives; nothing without truth
  // Positives that were observed: L values, also where they were drawn on the fly.
  std::vector<size_t> observed_counts;
  PerRow observed;              // observed labels, positive or negative
  bool observed_drawn = false;  // there is no such file: what would be drawn on the fly
  // Rows without a positive in the truth, or in the observed labels where there is no truth.
  size_t rows_without_positive = 0;
};

// The part must have truth or observed labels.
PartStats part_stats(const DataPart& part);

}  // namespace spml
