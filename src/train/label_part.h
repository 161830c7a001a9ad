// Which labels this process trains: all of them, or its part where several share them out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "cluster/cluster.h"
#include "spml/view.h"

namespace spml {

class SafetensorsFile;

struct LabelPart {
  Cluster* cluster = nullptr;  // null: alone, with all labels
  size_t first = 0, count = 0;
  size_t all = 0;

  bool is_split() const { return cluster != nullptr; }
};

LabelPart all_labels(size_t labels);
LabelPart part_of_rank(size_t labels, int rank, int size);
// As a team of threads shares them: neighbours together, as even as can be. There may be none.
LabelPart part_of_labels(size_t labels, Cluster& cluster);

// An array (outer, labels, inner) of T, of which `from` has some labels and `to` needs some: copies
// what both have.
template <class T>
void copy_labels(const std::byte* source, const LabelPart& from, T* target, const LabelPart& to,
                 size_t outer, size_t inner) {
  const size_t begin = std::max(from.first, to.first);
  const size_t end = std::min(from.first + from.count, to.first + to.count);
  if (begin >= end) return;
  for (size_t o = 0; o < outer; ++o) {
    std::memcpy(target + (o * to.count + begin - to.first) * inner,
                source + (o * from.count + begin - from.first) * inner * sizeof(T),
                (end - begin) * inner * sizeof(T));
  }
}

// The bytes of a tensor that another process may have written; Error unless there are `expected`.
std::span<const std::byte> tensor_bytes(const SafetensorsFile& file, std::string_view name,
                                        size_t expected);

// Matrices (n, count) of all processes, put together to (n, all): at rank 0, or at all of them. The
// first one gives back nothing elsewhere. Alone, a copy.
std::vector<float> gather_columns(const LabelPart& part, View<const float> mine);
template <class T>
void all_gather_columns(const LabelPart& part, View<const T> mine, std::vector<T>& whole);

}  // namespace spml
