// Work in numbered pieces, handed out to ranks as they become free.
#pragma once

#include <functional>

#include "cluster/cluster.h"

namespace spml {

// Calls body(0) .. body(n - 1), each at one rank, `jobs` of them at a time at each; alone where
// there is no cluster. Does not wait for the other ranks.
void deal_out(Cluster* cluster, size_t n, int jobs, const std::function<void(size_t)>& body);

}  // namespace spml
