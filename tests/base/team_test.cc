#include "base/team.h"

#include <atomic>
#include <new>
#include <vector>

#include "testing.h"

namespace spml {
namespace {

TEST(Team, RunsTheJobOncePerMember) {
  Team team(4);
  std::atomic<int> sum{0};
  for (int i = 0; i < 100; ++i) team.run([&](int t) { sum += 1 << t; });
  EXPECT_EQ(sum, 100 * ((1 << team.size()) - 1));
}

// With more threads than cores some are late, and the caller does what they would have done.
TEST(Team, LateMembersTakeNoPartTwice) {
  Team team(8);
  std::vector<int> runs(8);
  for (int i = 0; i < 5000; ++i) {
    team.run([&](int t) { runs[static_cast<size_t>(t)] += 1; });
    ASSERT_THAT(runs, testing::Each(i + 1));
  }
}

TEST(Team, AnExceptionOfAnyMemberReachesTheCaller) {
  Team team(3);
  ASSERT_EQ(team.size(), 3);
  for (int thrower = 0; thrower < 3; ++thrower) {
    EXPECT_THROW(team.run([&](int t) {
      if (t == thrower) throw std::bad_alloc();
    }),
                 std::bad_alloc);
    std::atomic<int> ran{0};  // and the team is as good as before
    team.run([&](int) { ++ran; });
    EXPECT_EQ(ran, 3);
  }
}

}  // namespace
}  // namespace spml
