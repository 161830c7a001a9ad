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
  EXPECT_EQ(nearest("ROLE", kNames), "role");  // as papers write it
  EXPECT_EQ(nearest("AN-LS", kNames), "an-ls");
  const std::vector<std::string> flags = {"--lr", "--k", "--epochs", "--threads"};
  EXPECT_EQ(nearest("--ep", flags), "--epochs");
}

TEST(DidYouMean, IsEmptyWhenNothingIsNear) {
  EXPECT_EQ(did_you_mean("bcels", kNames), "; did you mean 'bce-ls'?");
  EXPECT_EQ(did_you_mean("zzzzzzzz", kNames), "");
}

TEST(Text, PrintableTextStaysOnOneLine) {
  EXPECT_EQ(printable("a\nb\x1b[2J\x7f caf\xC3\xA9"), "a?b?[2J? caf\xC3\xA9");
}

TEST(Text, PrintableJsonSaysTheSame) {
  const std::string name = "a\xC2\x9B\x7F\xE2\x80\xAE\xF3\xA0\x81\x81 caf\xC3\xA9";
  EXPECT_EQ(printable_json("{\n  \"" + name + "\": 1\n}"),
            "{\n  \"a\\u009b\\u007f\\u202e\\udb40\\udc41 caf\xC3\xA9\": 1\n}");
}

TEST(Text, PrintableTextCannotCommandATerminal) {
  EXPECT_EQ(printable("a\xC2\x9B"
                      "2Jb"),
            "a?2Jb");  // U+009B, the escape sequence in one
  EXPECT_EQ(printable("\xC2\x80\xC2\x9F\xC2\xA0"), "??\xC2\xA0");
  EXPECT_EQ(printable("a\x9B"
                      "b\xFF"),
            "a?b?");  // no UTF-8
  EXPECT_EQ(printable("a\xE2\x80\xAE"
                      "b"),
            "a?b");  // U+202E turns the direction
  EXPECT_EQ(printable("a\xE2\x80\xA8"
                      "b"),
            "a?b");  // U+2028, a line separator
  EXPECT_EQ(printable("\xE6\x97\xA5\xF0\x9F\x90\x95"), "\xE6\x97\xA5\xF0\x9F\x90\x95");
}

TEST(Nearest, GivesUpOnTextsThatAreNoSlips) {
  // At a million characters a comparison would take hours.
  const std::vector<std::string> names = {std::string(1'000'000, 'a'), "role"};
  EXPECT_EQ(nearest(std::string(1'000'000, 'b'), names), "");
  EXPECT_EQ(nearest("rloe", names), "role");
}

}  // namespace
}  // namespace spml
