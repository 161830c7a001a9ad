// Two network namespaces as two hosts, with a --hostfile: the bytes of one machine.
#include "ranks.h"

namespace spml {
namespace {

using MpiHosts = Mpi;

TEST_F(MpiHosts, AreTwo) {
  const Ran ran = run_on_two_hosts({"hostname"});
  if (ran.exit_code == kNotAllowed) GTEST_SKIP() << ran.err;
  EXPECT_THAT(ran.out, testing::HasSubstr("spml-host-b\n"));
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 2) << ran.out;
}

TEST_F(MpiHosts, TrainToTheBytesOfOneProcess) {
  make_data(path("data"), {.rows = 150, .labels = 7, .features = 12});
  const Words words = {"train", path("data"), "--loss", "role", "--epochs", "3", "--out"};
  expect_success(words + Words{path("alone")});
  on_two_hosts(words + Words{path("shared")});
  if (IsSkipped()) return;
  for (const char* name : {"model.safetensors", "thresholds.npy", "estimates.npy"}) {
    expect_same_bytes(Path(path("alone")) / name, Path(path("shared")) / name);
  }
}

}  // namespace
}  // namespace spml
