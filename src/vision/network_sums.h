// What processes have in common after each has sent its parts of a batch through its copy of a
// network: the sum of their gradients, and running statistics that have seen all parts.
#pragma once

#include <vector>

#include "cluster/cluster.h"
#include "vision/trainable_network.h"

namespace spml {

class NetworkSums {
 public:
  // Both must outlive this. moves_statistics: batch normalisation is not frozen.
  NetworkSums(Cluster& cluster, TrainableNetwork& net, bool moves_statistics);

  // Before the batch goes through the network.
  void begin_step();
  // After it has, before the optimiser's step. parts_behind: those of processes of higher rank.
  void end_step(size_t parts_behind);

 private:
  struct Summed {
    size_t tensor;
    size_t begin;  // in values_
  };
  void add(size_t tensor, std::vector<float> values);
  void sum();

  Cluster& cluster_;
  TrainableNetwork& net_;
  std::vector<bool> is_statistic_;           // by tensor
  std::vector<std::vector<float>> earlier_;  // by tensor, the statistics before the batch
  std::vector<Summed> pending_;
  std::vector<float> values_;  // of pending_
};

}  // namespace spml
