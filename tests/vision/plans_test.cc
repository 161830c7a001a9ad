#include "vision/plans_by_size.h"

#include <vector>

#include "testing.h"

namespace spml {
namespace {

using testing::ElementsAre;

// Counts itself, and notes which others were there when it was made.
struct FakePlan {
  explicit FakePlan(int& count) : alive(count) { ++alive; }
  FakePlan(const FakePlan&) = delete;
  FakePlan& operator=(const FakePlan&) = delete;
  ~FakePlan() { --alive; }
  int& alive;
};

class Plans : public testing::Test {
 protected:
  void step(const std::vector<size_t>& parts) {
    for (const size_t part : parts) {
      plans_.get(part, [&] {
        made_.push_back(part);
        alive_when_made_.push_back(alive_);
        return std::make_unique<FakePlan>(alive_);
      });
    }
    plans_.end_step();
  }

  int alive_ = 0;
  std::vector<size_t> made_;
  std::vector<int> alive_when_made_;
  PlansBySize<FakePlan> plans_;
};

TEST_F(Plans, PartsOfTwoSizesAreMadeOnce) {
  for (int i = 0; i < 4; ++i) step({3, 3, 3, 1, 3, 3, 3, 1});
  EXPECT_THAT(made_, ElementsAre(3, 1));
  EXPECT_EQ(alive_, 2);
}

TEST_F(Plans, ABatchOfAnotherSizeFindsTheMemoryFree) {
  step({8, 8});
  step({5, 5});
  step({8, 8});
  EXPECT_THAT(made_, ElementsAre(8, 5, 8));
  EXPECT_THAT(alive_when_made_, ElementsAre(0, 0, 0));
}

}  // namespace
}  // namespace spml
