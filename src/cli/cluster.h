// Several processes that share the work of one command, as started by mpirun and srun.
#pragma once

#include <string>
#include <vector>

#include "cluster/cluster.h"

namespace spml::cli {

struct Flag;
struct Verb;

struct ClusterFlags {
  std::string distributed = "auto";
  double timeout = 60;
};

// --distributed and --timeout, for verbs whose work can be shared.
std::vector<Flag> cluster_flags(ClusterFlags& flags);

// Joins the ranks that were started with this process, if any. Error when the verb's work cannot be
// shared or the module is missing, since every rank would do all of the work, and when another rank
// was started differently. From then on only rank 0 prints.
void enter_cluster(const Verb& verb, const std::vector<std::string>& words);

// The ranks; null when this process is alone.
Cluster* joined_cluster();

// How the process ends among others: one that fails ends all, and rank 0 reports why. False if this
// process has to report it.
bool end_cluster(const std::string& error, int code);
// The work is done: waits for the others.
void leave_cluster();

}  // namespace spml::cli
