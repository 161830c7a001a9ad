#include "train/row_part.h"

namespace spml {

RowCount count_rows(Cluster& cluster, size_t mine) {
  const uint64_t count = mine;
  const auto counts =
      all_gather<uint64_t>(cluster, std::span(&count, 1), static_cast<size_t>(cluster.size()));
  RowCount result;
  for (size_t r = 0; r < counts.size(); ++r) {
    if (r < static_cast<size_t>(cluster.rank())) result.before += counts[r];
    result.all += counts[r];
  }
  return result;
}

template <class T>
std::vector<T> all_gather_rows(Cluster* cluster, View<const T> mine) {
  if (cluster == nullptr) return {mine.data, mine.data + mine.size()};
  const size_t rows = count_rows(*cluster, mine.rows).all;
  return all_gather<T>(*cluster, mine.flat(), rows * mine.cols);
}

template std::vector<float> all_gather_rows(Cluster*, View<const float>);
template std::vector<int8_t> all_gather_rows(Cluster*, View<const int8_t>);

}  // namespace spml
