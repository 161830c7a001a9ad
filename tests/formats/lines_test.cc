#include "formats/lines.h"

#include "testing.h"

namespace spml {
namespace {

using ::testing::HasSubstr;

TEST(Lines, ReadsEveryLineWithItsNumber) {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "\xEF\xBB\xBFone\r\n\ntwo");
  LineReader reader(folder / "a.txt");
  std::string_view line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "one");
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "");
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "two");
  EXPECT_THAT(reader.where(), ::testing::EndsWith("a.txt:3"));
  EXPECT_FALSE(reader.next(line));
}

TEST(Lines, NamesTheLineThatIsNotUtf8) {
  EXPECT_SPML_ERROR(checked_text("a\nb\n\xC0\xAF\nd", "x.txt"), HasSubstr("x.txt:3:"));
  EXPECT_EQ(checked_text("caf\xC3\xA9", "x.txt"), "caf\xC3\xA9");
}

TEST(Lines, AreBoundedAndHaveNoZeroByte) {
  EXPECT_SPML_ERROR(checked_text(std::string("a\nb\0c\xff", 6), "t"),
                    testing::StrEq("t:2: found a zero byte in a text"));
  const TemporaryFolder folder;
  write_file(folder / "t", "a\n" + std::string(LineReader::kMaxLine, 'b') + "\n" +
                               std::string(LineReader::kMaxLine + 1, 'c'));
  LineReader reader(folder / "t");
  std::string_view line;
  EXPECT_TRUE(reader.next(line) && reader.next(line));
  EXPECT_SPML_ERROR(reader.next(line),
                    testing::HasSubstr("t:3: expected a line of at most 65536 bytes"));
}

TEST(Lines, TakesFieldsBetweenBlanks) {
  std::string_view line = "  12 \t a\r";
  EXPECT_EQ(take_field(line), "12");
  EXPECT_EQ(take_field(line), "a");
  EXPECT_EQ(take_field(line), "");
  EXPECT_EQ(trim(" \t x y \r"), "x y");
  EXPECT_EQ(trim(" \t"), "");
}

TEST(Lines, ANumberIsTheWholeText) {
  int value = 0;
  EXPECT_TRUE(parse_number("-1", value));
  EXPECT_EQ(value, -1);
  EXPECT_FALSE(parse_number("1x", value));
  EXPECT_FALSE(parse_number("", value));
  EXPECT_FALSE(parse_number("99999999999", value));
}

}  // namespace
}  // namespace spml
