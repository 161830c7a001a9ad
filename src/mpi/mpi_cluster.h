// The ranks of an MPI job as a Cluster.
#pragma once

#include "cluster/mpi_module.h"

namespace spml {

// As MpiModule has them.
std::unique_ptr<Cluster> join_mpi(const MpiOptions& options);
void tell_mpi(std::string_view error);
void abort_mpi(int code);
void finish_mpi();

}  // namespace spml
