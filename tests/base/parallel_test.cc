#include "base/parallel.h"

#include <atomic>
#include <numeric>

#include "base/fail.h"
#include "base/team.h"
#include "testing.h"

namespace spml {
namespace {

using testing::Each;
using testing::HasSubstr;

TEST(ParallelFor, VisitsEveryIndexOnce) {
  for (const int threads : {1, 2, 5}) {
    std::vector<int> visits(1000);
    parallel_for(visits.size(), threads, [&](size_t i) { ++visits[i]; });
    EXPECT_THAT(visits, Each(1)) << threads;
  }
  parallel_for(0, 2, [](size_t) { ADD_FAILURE() << "there is nothing to do"; });
}

TEST(ParallelFor, HandsBackWhatTheThreadsWrote) {
  std::vector<size_t> squares(500);
  for (size_t round = 1; round <= 20; ++round) {
    parallel_for(squares.size(), 2, [&](size_t i) { squares[i] = round * i; });
    EXPECT_EQ(std::accumulate(squares.begin(), squares.end(), size_t{0}), round * 500 * 499 / 2);
  }
}

TEST(ParallelFor, RethrowsAnException) {
  for (const int threads : {1, 2}) {
    EXPECT_SPML_ERROR(parallel_for(100, threads,
                                   [](size_t i) {
                                     if (i == 50) fail("row {}", i);
                                   }),
                      HasSubstr("row 50"));
  }
}

TEST(Team, RunsTheJobOnEveryMember) {
  Team team(3);
  ASSERT_EQ(team.size(), 3);
  std::vector<int> counts(3);
  for (int round = 0; round < 200; ++round) {
    team.run([&](int t) { ++counts[static_cast<size_t>(t)]; });
  }
  EXPECT_THAT(counts, Each(200));
}

TEST(Team, JobsSeeWhatWasWrittenBetweenThem) {
  Team team(2);
  std::vector<int> parts(2);
  int input = 0;
  for (int round = 0; round < 200; ++round) {
    input = round;
    team.run([&](int t) { parts[static_cast<size_t>(t)] = input + t; });
    EXPECT_EQ(parts[0] + parts[1], 2 * round + 1);
  }
}

TEST(Team, OfOneIsTheCaller) {
  Team team(1);
  int calls = 0;
  team.run([&](int t) { calls += t == 0; });
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace spml
