// Threads as ranks: what every implementation of a cluster has to do.
#include "cluster/cluster.h"

#include <mutex>
#include <set>

#include "cluster/thread_cluster.h"
#include "testing.h"

namespace spml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Cluster, SumsAreTakenInRankOrder) {
  // (1e16 + 1) - 1e16 is 0 in this order and 1 in others.
  const double values[] = {1e16, 1, -1e16};
  for (int again = 0; again < 20; ++again) {
    run_cluster(3, [&](Cluster& cluster) {
      double value[] = {values[cluster.rank()], 1};
      cluster.sum(value);
      EXPECT_THAT(value, ElementsAre(0, 3));
    });
  }
}

TEST(Cluster, GathersPartsOfAnyLengthInRankOrder) {
  run_cluster(4, [](Cluster& cluster) {
    const std::vector<int> mine(static_cast<size_t>(cluster.rank()), cluster.rank());
    EXPECT_THAT(all_gather<int>(cluster, mine, 6), ElementsAre(1, 2, 2, 3, 3, 3));
    const std::vector<int> at_first = gather<int>(cluster, mine, 6);
    EXPECT_EQ(at_first.size(), cluster.is_first() ? 6u : 0u);
  });
}

TEST(Cluster, AnotherNumberThanExpectedIsAnError) {
  EXPECT_SPML_ERROR(run_cluster(2,
                                [](Cluster& cluster) {
                                  const std::vector<int> mine(1);
                                  all_gather<int>(cluster, mine, 3);
                                }),
                    HasSubstr("sent 2 numbers in all, expected 3"));
  EXPECT_SPML_ERROR(values_of<double>(Bytes(9), 5), HasSubstr("rank 5 sent 9 bytes"));
}

TEST(Cluster, AllHearWhatTheFirstSays) {
  run_cluster(3, [](Cluster& cluster) {
    EXPECT_EQ(said_by_first(cluster, cluster.is_first() ? "go" : "stay"), "go");
  });
}

TEST(Cluster, ADifferenceIsNamedWithItsRank) {
  EXPECT_SPML_ERROR(run_cluster(4,
                                [](Cluster& cluster) {
                                  expect_same(cluster, "version", cluster.rank() == 2 ? "2" : "1");
                                }),
                    HasSubstr("rank 2 has the version '2', rank 0 has '1'"));
}

TEST(Cluster, EveryNumberIsDealtOnceAndFromTheStartEachTime) {
  std::mutex mutex;
  std::multiset<uint64_t> dealt;
  run_cluster(3, [&](Cluster& cluster) {
    for (int round = 0; round < 2; ++round) {
      cluster.begin_dealing();
      for (uint64_t i = cluster.next(); i < 50; i = cluster.next()) {
        const std::lock_guard guard(mutex);
        dealt.insert(i);
      }
    }
  });
  EXPECT_EQ(dealt.size(), 100u);
  for (uint64_t i = 0; i < 50; ++i) EXPECT_EQ(dealt.count(i), 2u);
}

TEST(Cluster, TheErrorOfOneEndsTheOthersAndIsTheOneSeen) {
  EXPECT_SPML_ERROR(run_cluster(3,
                                [](Cluster& cluster) {
                                  if (cluster.rank() == 1) throw Error("the disk is full");
                                  cluster.barrier();
                                }),
                    HasSubstr("the disk is full"));
}

}  // namespace
}  // namespace spml
