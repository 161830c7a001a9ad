// Which rows this process trains: all of them, or its part where each rank has rows of its own,
// with their features, labels and estimates, which stay where they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cluster/cluster.h"
#include "spml/view.h"

namespace spml {

struct RowPart {
  Cluster* cluster = nullptr;  // null: alone, with all rows
  size_t first = 0;            // of the rows of the training file, the number of the first one here
  size_t all = 0;              // rows of all ranks' training files together
  // 1: the gradients of a batch, of which each rank has some rows, are summed in every step. N:
  // each rank takes N steps on batches of its own, then weights and moments are averaged.
  uint64_t sync_every = 1;

  bool is_split() const { return cluster != nullptr; }
  bool has_local_steps() const { return is_split() && sync_every > 1; }
};

// How many rows come before this rank's, and how many there are.
struct RowCount {
  size_t before = 0, all = 0;
};
RowCount count_rows(Cluster& cluster, size_t mine);

// Matrices (n, columns) of all ranks one below the other, in rank order, at every rank. Alone, a
// copy.
template <class T>
std::vector<T> all_gather_rows(Cluster* cluster, View<const T> mine);

}  // namespace spml
