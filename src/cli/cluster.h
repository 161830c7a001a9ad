// Several processes that do the work of one command: what mpirun and srun start.
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

// --distributed and --timeout, for verbs that can be shared out.
std::vector<Flag> cluster_flags(ClusterFlags& flags);

// Joins the ranks that this process was started with, if there are any. Error when the verb cannot
// be shared out or the module is missing, which would do the same work many times over, and when
// another rank was started differently. From then on only rank 0 is heard.
void enter_cluster(const Verb& verb, const std::vector<std::string>& words);

// The ranks; null when this process is alone.
Cluster* joined_cluster();

// How the process ends among others: one that fails ends all, and rank 0 says why. False when it
// has to be said here.
bool end_cluster(const std::string& error, int code);
// All is done: waits for the others.
void leave_cluster();

}  // namespace spml::cli
