#include "cluster/mpi_module.h"

#include "base/build_id.h"
#include "mpi/mpi_cluster.h"
#include "spml/version.h"

const spml::MpiModule* spml_mpi_module() {
  static constexpr spml::MpiModule kModule = {spml::kVersion, spml::kBuild,    spml::join_mpi,
                                              spml::tell_mpi, spml::abort_mpi, spml::finish_mpi};
  return &kModule;
}
