// The parts in which a batch of images goes through a network, where several processes may have
// some each.
#pragma once

#include <cstddef>
#include <vector>

#include "cluster/cluster.h"

namespace spml {

struct RowRange {
  size_t begin = 0, end = 0;
  size_t size() const { return end - begin; }
};

// `each` parts for each process, as even as can be: those that one process has with as many parts
// in all. A batch may have fewer, so that the last processes have none.
class BatchParts {
 public:
  // Without a cluster, all parts are here.
  BatchParts(size_t each, const Cluster* cluster);

  // This process's parts of a batch of so many rows, one after the other.
  std::vector<RowRange> here(size_t rows) const;
  // The rows of them all.
  RowRange rows_here(size_t rows) const;
  // How many parts the processes of higher rank have.
  size_t behind(size_t rows) const;

 private:
  size_t part_size(size_t rows) const;
  size_t count(size_t rows) const;

  size_t each_, first_, all_;
};

}  // namespace spml
