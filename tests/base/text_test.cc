#include "base/text.h"

#include <vector>

#include "testing.h"

namespace spml {
namespace {

const std::vector<std::string> kNames = {"bce", "bce-ls", "an", "an-ls", "wan", "role"};

TEST(Nearest, FindsTypos) {
  EXPECT_EQ(nearest("rloe", kNames), "role");
  EXPECT_EQ(nearest("anls", kNames), "an-ls");
  EXPECT_EQ(nearest("something-else", kNames), "");
}

TEST(DidYouMean, IsEmptyWhenNothingIsNear) {
  EXPECT_EQ(did_you_mean("bcels", kNames), "; did you mean 'bce-ls'?");
  EXPECT_EQ(did_you_mean("zzzzzzzz", kNames), "");
}

TEST(Text, PrintableTextStaysOnOneLine) {
  EXPECT_EQ(printable("a\nb\x1b[2J\x7f caf\xC3\xA9"), "a?b?[2J? caf\xC3\xA9");
}

}  // namespace
}  // namespace spml
