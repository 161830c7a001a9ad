#include "settings/grid.h"

#include "testing.h"

namespace spml {
namespace {

using testing::HasSubstr;

TEST(Params, ValueIsANumberOrTheNumberOfLabels) {
  EXPECT_EQ(parse_params({"eps=0.2", "gamma=1e-3", "positive_scale=L"}, 20),
            (LossParameters{{"eps", 0.2}, {"gamma", 1e-3}, {"positive_scale", 20}}));
  EXPECT_TRUE(parse_params({}, 20).empty());
}

TEST(Params, AnythingElseIsAUsageError) {
  EXPECT_SPML_ERROR(parse_params({"eps"}, 2), HasSubstr("name=value"));
  EXPECT_SPML_ERROR(parse_params({"=1"}, 2), HasSubstr("name=value"));
  EXPECT_SPML_ERROR(parse_params({"eps="}, 2), HasSubstr("expected a number"));
  EXPECT_SPML_ERROR(parse_params({"eps=1x"}, 2), HasSubstr("found '1x'"));
  EXPECT_SPML_ERROR(parse_params({"eps=1", "eps=1"}, 2), HasSubstr("twice"));
}

}  // namespace
}  // namespace spml
