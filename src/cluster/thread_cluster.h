// A cluster of threads of this process: for tests, and to see what a split does without MPI.
#pragma once

#include <functional>

#include "cluster/cluster.h"

namespace spml {

// Calls body with each rank's view of a cluster of `size`, each on a thread of its own, and waits
// for all. An exception of one rank ends the waiting of the others; that of the lowest rank which
// did not merely wait is thrown on.
void run_cluster(int size, const std::function<void(Cluster&)>& body);

}  // namespace spml
