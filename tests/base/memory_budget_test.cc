#include "base/memory_budget.h"

#include <sys/resource.h>

#include <algorithm>

#include "base/control_groups.h"
#include "testing.h"

namespace spml {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(MemoryBudget, RefusesWhatDoesNotFitAndNamesTheFlag) {
  const MemoryBudget budget(1000);
  budget.require(1000, "a model");
  EXPECT_SPML_ERROR(budget.require(2'500'000'000, "a model"),
                    AllOf(HasSubstr("a model needs 2.5 GB of memory"), HasSubstr("--max-memory")));
  EXPECT_SPML_ERROR(budget.share(4).require(251, "a part"), HasSubstr("allows 250 bytes"));
  EXPECT_SPML_ERROR(budget.less(600).require(401, "the rest"), HasSubstr("allows 400 bytes"));
  EXPECT_EQ(budget.less(2000).bytes(), 0u);
  EXPECT_SPML_ERROR(budget.require(kTooMany, "x"), HasSubstr("more than any machine has"));
}

TEST(MemoryMeter, StopsWhereTheBudgetEnds) {
  MemoryMeter meter("t.csv: its rows", MemoryBudget(1000));
  meter.add(400);
  meter.add(600);
  EXPECT_SPML_ERROR(meter.add(1), AllOf(HasSubstr("t.csv: its rows need more than 1.0 KB"),
                                        HasSubstr("--max-memory")));
  meter.release(300);
  meter.add(300);
}

TEST(MemoryBudget, IsWhatTheMachineHasUnlessSaidOtherwise) {
  const MemoryBudget budget;
  EXPECT_GT(budget.bytes(), uint64_t{16} << 20);
  EXPECT_LE(budget.bytes(), MemoryBudget::available_memory() + (uint64_t{1} << 32));
  EXPECT_SPML_ERROR(budget.require(kTooMany, "x"), HasSubstr("--max-memory sets another limit"));
}

// ulimit -d is a limit beside the others, and no larger one takes their place.
TEST(MemoryBudget, CountsTheLimitOfDataWithTheOthers) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer reserves more than any limit";
#endif
  struct rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_DATA, &before), 0);
  struct rlimit limit = before;
  limit.rlim_cur = std::min(rlim_t{1} << 60, before.rlim_max);
  ASSERT_EQ(::setrlimit(RLIMIT_DATA, &limit), 0);
  const uint64_t large = MemoryBudget().bytes();
  limit.rlim_cur = 300 << 20;
  ASSERT_EQ(::setrlimit(RLIMIT_DATA, &limit), 0);
  const uint64_t small = MemoryBudget().bytes();
  ASSERT_EQ(::setrlimit(RLIMIT_DATA, &before), 0);
  EXPECT_LT(large, uint64_t{1} << 50);
  EXPECT_LT(small, 300u << 20);
}

TEST(MemoryBudget, KeepsToTheLimitsOfTheProcess) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer reserves more than any limit";
#endif
  struct rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_DATA, &before), 0);
  limit_memory(300 << 20);
  const uint64_t bytes = MemoryBudget().bytes();
  ASSERT_EQ(::setrlimit(RLIMIT_DATA, &before), 0);
  EXPECT_LT(bytes, 300u << 20);
}

TEST(MemoryFiles, AreReadWithoutTrust) {
  using namespace memory_files;
  const std::string meminfo = "MemTotal:  100 kB\nMemAvailable:   42 kB\n";
  EXPECT_EQ(number_after(meminfo, "MemAvailable:"), 42u);
  EXPECT_EQ(number_after(meminfo, "SwapFree:"), 0u);
  EXPECT_EQ(limit_of_cgroup("max\n"), kTooMany);
  EXPECT_EQ(limit_of_cgroup("4096\n"), 4096u);
  EXPECT_EQ(cgroup_of("1:cpu:/x\n0::/user.slice/a\n"), "/user.slice/a");
  EXPECT_EQ(cgroup_of("0::/\n"), "");
  EXPECT_EQ(cgroup_of(""), "");
}

TEST(ControlGroups, AreFoundInBothVersions) {
  const std::string text = "9:name=systemd:/s\n4:cpu,memory:/jobs/7\n3:memory_x:/no\n0::/v2\n";
  EXPECT_EQ(control_group_of(text, "memory"), "/jobs/7");
  EXPECT_EQ(control_group_of(text, "cpu"), "/jobs/7");
  EXPECT_EQ(control_group_of(text, ""), "/v2");
  EXPECT_EQ(control_group_of("4:memory:/\n", "memory"), "");
  for (const char* bad : {"memory", ":", "::", "4:memory", "4:/memory", "\n\n:/\n", "4:cpu:/x"}) {
    EXPECT_EQ(control_group_of(bad, "memory"), "") << bad;
  }
  EXPECT_EQ(read_system_file("/proc/self/no such file"), "");
}

TEST(Sizes, StayAtTheLargestInsteadOfWrapping) {
  EXPECT_EQ(saturating_product(3, 4, 5), 60u);
  EXPECT_EQ(saturating_product(uint64_t{1} << 40, uint64_t{1} << 40, 1), kTooMany);
  EXPECT_EQ(saturating_product(uint64_t{1} << 40, uint64_t{1} << 40, 0), 0u);
  EXPECT_EQ(saturating_sum(kTooMany, 1), kTooMany);
}

TEST(Sizes, AreReadAndWrittenForPeople) {
  EXPECT_EQ(size_text(999), "999 bytes");
  EXPECT_EQ(size_text(9'600'000'000), "9.6 GB");
  EXPECT_EQ(parse_size("8G", "x"), 8'000'000'000u);
  EXPECT_EQ(parse_size("123", "x"), 123u);
  for (const char* bad : {"", "0", "-1", "8GB", "G", "8 G", "1.5G"}) {
    EXPECT_SPML_ERROR(parse_size(bad, "--max-memory"),
                      HasSubstr("--max-memory: expected a size such as 500M or 8G"));
  }
}

}  // namespace
}  // namespace spml
