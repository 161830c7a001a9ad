#include "cluster/launch.h"

#include <algorithm>

namespace spml {
namespace {

std::optional<int> number_in(const std::function<const char*(const char*)>& get, const char* name) {
  const char* const text = get(name);
  if (text == nullptr) return std::nullopt;
  int value = 0;
  for (const char* c = text; *c >= '0' && *c <= '9' && value < 1'000'000; ++c) {
    value = 10 * value + (*c - '0');
  }
  return value > 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

// srun sets its variables for every program it starts, and sbatch those of the job for the script
// itself; only with SLURM_STEP_ID and a rank of PMI or PMIx is this one of several tasks.
std::optional<Launch> find_launch(const std::function<const char*(const char*)>& get) {
  Launch launch;
  if (const auto started = number_in(get, "OMPI_COMM_WORLD_SIZE")) {
    launch = {"mpirun", number_in(get, "OMPI_COMM_WORLD_RANK").value_or(0), *started,
              number_in(get, "OMPI_COMM_WORLD_LOCAL_SIZE").value_or(1)};
  } else if (get("PMIX_RANK") != nullptr || get("PMI_RANK") != nullptr) {
    const auto tasks = number_in(get, "SLURM_STEP_NUM_TASKS");
    const auto size = tasks ? tasks : number_in(get, "PMI_SIZE");
    if (!size) return std::nullopt;
    const auto rank = number_in(get, "PMIX_RANK");
    launch = {tasks ? "srun" : "mpirun", (rank ? rank : number_in(get, "PMI_RANK")).value_or(0),
              *size, 1};
    const int nodes = number_in(get, "SLURM_STEP_NUM_NODES").value_or(1);
    launch.local_size = std::max(1, (*size + nodes - 1) / nodes);
  }
  if (launch.size <= 1) return std::nullopt;
  return launch;
}

int threads_of_rank(const Launch& launch, int open, int cores) {
  return std::clamp(std::min(open, cores / launch.local_size), 1, std::max(open, 1));
}

}  // namespace spml
