#include "base/utf8.h"

#include "testing.h"

namespace spml {
namespace {

TEST(Utf8, RoundTripOfEveryLength) {
  const std::u32string code_points = U"a\u00e9\u20ac\U0001f600\U0010ffff";
  std::string text;
  for (const char32_t c : code_points) append_utf8(text, c);
  EXPECT_EQ(text, "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf");
  EXPECT_EQ(decode_utf8(text), code_points);
}

TEST(Utf8, RejectsWhatIsNotUtf8) {
  for (const std::string text : {"\x80", "\xc3", "\xc3(", "\xc0\x80", "\xe0\x80\x80",
                                 "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8\x80\x80\x80", "\xff"}) {
    EXPECT_EQ(decode_utf8(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace spml
