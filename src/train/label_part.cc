#include "train/label_part.h"

#include <algorithm>

#include "base/fail.h"
#include "formats/safetensors.h"

namespace spml {
namespace {

template <class T>
void put_together(const LabelPart& part, size_t rows, const std::vector<Bytes>& parts,
                  std::vector<T>& whole) {
  whole.resize(rows * part.all);
  for (int r = 0; r < part.cluster->size(); ++r) {
    const LabelPart theirs = part_of_rank(part.all, r, part.cluster->size());
    const std::vector<T> values = values_of<T>(parts[static_cast<size_t>(r)], r);
    check_joined(values.size(), rows * theirs.count);
    for (size_t i = 0; i < rows; ++i) {
      std::copy_n(values.begin() + static_cast<ptrdiff_t>(i * theirs.count), theirs.count,
                  whole.begin() + static_cast<ptrdiff_t>(i * part.all + theirs.first));
    }
  }
}

}  // namespace

std::span<const std::byte> tensor_bytes(const SafetensorsFile& file, std::string_view name,
                                        size_t expected) {
  const auto bytes = file.tensor(name).bytes;
  if (bytes.size() == expected) return bytes;
  fail("{}: expected {} bytes in '{}', found {}; start again with --overwrite",
       file.path().string(), expected, name, bytes.size());
}

LabelPart all_labels(size_t labels) { return {nullptr, 0, labels, labels}; }

LabelPart part_of_rank(size_t labels, int rank, int size) {
  const auto r = static_cast<size_t>(rank), n = static_cast<size_t>(size);
  const size_t first = labels * r / n;
  return {nullptr, first, labels * (r + 1) / n - first, labels};
}

LabelPart part_of_labels(size_t labels, Cluster& cluster) {
  LabelPart part = part_of_rank(labels, cluster.rank(), cluster.size());
  part.cluster = &cluster;
  return part;
}

std::vector<float> gather_columns(const LabelPart& part, View<const float> mine) {
  if (!part.is_split()) return {mine.data, mine.data + mine.size()};
  std::vector<float> whole;
  const auto parts = part.cluster->gather(std::as_bytes(mine.flat()));
  if (part.cluster->is_first()) put_together(part, mine.rows, parts, whole);
  return whole;
}

template <class T>
void all_gather_columns(const LabelPart& part, View<const T> mine, std::vector<T>& whole) {
  put_together(part, mine.rows, part.cluster->all_gather(std::as_bytes(mine.flat())), whole);
}

template void all_gather_columns(const LabelPart&, View<const float>, std::vector<float>&);
template void all_gather_columns(const LabelPart&, View<const int8_t>, std::vector<int8_t>&);

}  // namespace spml
