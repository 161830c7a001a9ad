#include "base/team.h"

#include <atomic>
#include <new>

#include "testing.h"

namespace spml {
namespace {

TEST(Team, RunsTheJobOncePerMember) {
  Team team(4);
  std::atomic<int> sum{0};
  for (int i = 0; i < 100; ++i) team.run([&](int t) { sum += 1 << t; });
  EXPECT_EQ(sum, 100 * ((1 << team.size()) - 1));
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
