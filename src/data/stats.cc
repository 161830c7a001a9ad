#include "data/stats.h"

#include <algorithm>

#include "data/observe.h"

namespace spml {
namespace {

// Counts, row by row, the labels for which `counts` holds.
template <class Predicate>
LabelStats count_labels(const LabelMatrix& labels, Predicate counts) {
  LabelStats stats;
  stats.class_counts.resize(labels.cols());
  stats.rows_by_count.resize(labels.cols() + 1);
  std::vector<int8_t> row(labels.cols());
  size_t total = 0;
  for (size_t i = 0; i < labels.rows(); ++i) {
    labels.read_row(i, row);
    size_t in_row = 0;
    for (size_t j = 0; j < row.size(); ++j) {
      if (!counts(row[j])) continue;
      ++in_row;
      ++stats.class_counts[j];
    }
    ++stats.rows_by_count[in_row];
    total += in_row;
  }
  const auto occurs = [](size_t rows) { return rows > 0; };
  const auto first = std::ranges::find_if(stats.rows_by_count, occurs);
  while (!occurs(stats.rows_by_count.back())) stats.rows_by_count.pop_back();
  stats.per_row.min = static_cast<size_t>(first - stats.rows_by_count.begin());
  stats.per_row.max = stats.rows_by_count.size() - 1;
  stats.per_row.mean = static_cast<double>(total) / static_cast<double>(labels.rows());
  return stats;
}

}  // namespace

PartStats part_stats(const DataPart& part) {
  PartStats stats;
  stats.rows = part.rows();
  stats.labels = part.labels();
  stats.observed_drawn = part.observed.empty();
  const auto is_positive = [](int8_t label) { return label > 0; };
  const auto is_observed = [](int8_t label) { return label != 0; };
  const LabelMatrix drawn = stats.observed_drawn ? draw_observed(part.truth, {}) : LabelMatrix();
  const LabelMatrix& observed = stats.observed_drawn ? drawn : part.observed;
  LabelStats positives = count_labels(observed, is_positive);
  stats.observed = count_labels(observed, is_observed).per_row;
  if (!part.truth.empty()) stats.truth = count_labels(part.truth, is_positive);
  stats.rows_without_positive = (stats.truth ? *stats.truth : positives).rows_by_count[0];
  stats.observed_counts = std::move(positives.class_counts);
  return stats;
}

}  // namespace spml
