// What a line of progress says.
#include "cli/progress.h"

#include "testing.h"

namespace spml::cli {
namespace {

TEST(Progress, RatesHaveTwoDigitsWhereTheyAreSmall) {
  EXPECT_EQ(rate_text(1234.5), "1234");
  EXPECT_EQ(rate_text(12.6), "13");
  EXPECT_EQ(rate_text(2.54), "2.5");
  EXPECT_EQ(rate_text(0.21), "0.21");
  EXPECT_EQ(rate_text(0), "0");
}

}  // namespace
}  // namespace spml::cli
