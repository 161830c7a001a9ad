// What the environment says of the other ranks.
#include "cluster/launch.h"

#include <map>

#include "testing.h"

namespace spml {
namespace {

std::optional<Launch> with(const std::map<std::string, std::string>& environment) {
  return find_launch([&](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

TEST(Launch, AProcessOfItsOwnIsAlone) {
  EXPECT_FALSE(with({}));
  EXPECT_FALSE(with({{"OMPI_COMM_WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_RANK", "0"}}));
  // A job script of SLURM, outside srun.
  EXPECT_FALSE(with({{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "4"}}));
  EXPECT_FALSE(with({{"OMPI_COMM_WORLD_SIZE", "many"}}));
}

TEST(Launch, MpirunSaysWhoIsThere) {
  const auto launch = with({{"OMPI_COMM_WORLD_SIZE", "6"},
                            {"OMPI_COMM_WORLD_RANK", "4"},
                            {"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}});
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->by, "mpirun");
  EXPECT_EQ(launch->size, 6);
  EXPECT_EQ(launch->rank, 4);
  EXPECT_EQ(launch->local_size, 3);
}

TEST(Launch, SrunSaysWhoIsThere) {
  const auto launch =
      with({{"PMIX_RANK", "0"}, {"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_STEP_NUM_NODES", "4"}});
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->by, "srun");
  EXPECT_EQ(launch->size, 8);
  EXPECT_EQ(launch->rank, 0);
  EXPECT_EQ(launch->local_size, 2);
}

TEST(Launch, RanksOfOneMachineShareItsCores) {
  EXPECT_EQ(threads_of_rank({"mpirun", 0, 2, 2}, 16, 16), 8);
  EXPECT_EQ(threads_of_rank({"mpirun", 0, 2, 2}, 4, 16), 4);  // bound to four of them
  EXPECT_EQ(threads_of_rank({"mpirun", 0, 8, 8}, 2, 2), 1);   // more ranks than cores
  EXPECT_EQ(threads_of_rank({"srun", 0, 64, 1}, 16, 16), 16);
}

}  // namespace
}  // namespace spml
