#include "vision/batch_parts.h"

#include <algorithm>

namespace spml {

BatchParts::BatchParts(size_t each, const Cluster* cluster)
    : each_(each),
      first_(cluster != nullptr ? each * static_cast<size_t>(cluster->rank()) : 0),
      all_(cluster != nullptr ? each * static_cast<size_t>(cluster->size()) : each) {}

size_t BatchParts::part_size(size_t rows) const { return (rows + all_ - 1) / all_; }

// In whole parts a batch may need fewer than there could be: 9 rows in 6 are 5 of up to 2.
size_t BatchParts::count(size_t rows) const {
  const size_t size = part_size(rows);
  return size == 0 ? 0 : (rows + size - 1) / size;
}

std::vector<RowRange> BatchParts::here(size_t rows) const {
  std::vector<RowRange> parts;
  const size_t size = part_size(rows), last = std::min(first_ + each_, count(rows));
  for (size_t i = first_; i < last; ++i)
    parts.push_back({i * size, std::min(rows, (i + 1) * size)});
  return parts;
}

RowRange BatchParts::rows_here(size_t rows) const {
  const std::vector<RowRange> parts = here(rows);
  if (parts.empty()) return {rows, rows};
  return {parts.front().begin, parts.back().end};
}

size_t BatchParts::behind(size_t rows) const {
  const size_t all = count(rows);
  return all - std::min(first_ + each_, all);
}

}  // namespace spml
