// Whether this process was started as one of several, by mpirun or by SLURM's srun.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace spml {

struct Launch {
  std::string by;  // "mpirun", "srun"
  int rank = 0;
  int size = 1;        // ranks in all
  int local_size = 1;  // ranks on this machine
};

// What the environment says; nothing when this process is alone. `get` is std::getenv.
std::optional<Launch> find_launch(const std::function<const char*(const char*)>& get);

// Threads of a rank, where `cores` of the machine are open to it: the ranks share the machine.
int threads_of_rank(const Launch& launch, int open, int cores);

}  // namespace spml
