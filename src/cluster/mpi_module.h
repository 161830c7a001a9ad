// What libspml_mpi.so gives the program. MPI is loaded with it, when a job of several ranks is
// found (cli/cluster.h); a program that runs alone starts without.
#pragma once

#include <memory>

#include "cluster/cluster.h"

namespace spml {

// Both functions are called on a thread of their own, and end the process.
struct MpiOptions {
  double timeout = 60;                             // seconds to wait for the others
  void (*lost)(int rank, double seconds);          // they did not come
  void (*told)(int rank, const std::string& why);  // at rank 0: another rank says why it ends
};

struct MpiModule {
  // These two come first in every version, and are checked before the rest is used. The program and
  // the module hand each other C++ objects, so both must come from one build: kBuild.
  const char* version;
  const char* build;
  // Joins the job.
  std::unique_ptr<Cluster> (*join)(const MpiOptions& options);
  // Tells rank 0 why this rank ends.
  void (*tell)(std::string_view error);
  // Ends all ranks of the job, this one too, with this exit code. After finish(), nothing happens.
  void (*abort)(int code);
  // To be called by all at the end.
  void (*finish)();
};

}  // namespace spml

extern "C" [[gnu::visibility("default")]] const spml::MpiModule* spml_mpi_module();
