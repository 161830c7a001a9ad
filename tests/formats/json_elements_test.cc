#include "formats/json_elements.h"

#include "testing.h"

namespace spml {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> elements(std::string_view json) {
  std::vector<std::string> found;
  for_each_element(json, "f.json", [&](std::string_view key, std::string_view element) {
    found.push_back(std::string(key) + "=" + std::string(element));
  });
  return found;
}

TEST(JsonElements, GivesEveryElementOfEveryArray) {
  EXPECT_THAT(elements(R"( {"info": {"a": [1, 2]}, "b": [ {"x": [1,[2]]} , 7 ,"s"], "c": []} )"),
              ElementsAre(R"(b={"x": [1,[2]]})", "b=7", R"(b="s")"));
  EXPECT_THAT(elements("{}"), IsEmpty());
  EXPECT_THAT(elements("\xEF\xBB\xBF{\"a\":[1]}\n"), ElementsAre("a=1"));
}

TEST(JsonElements, BracketsAndQuotesInStringsDoNotCount) {
  EXPECT_THAT(elements(R"({"a]": [{"t": "}]\"\\"}, "],"], "n": "[{"})"),
              ElementsAre(R"(a]={"t": "}]\"\\"})", R"(a]="],")"));
}

TEST(JsonElements, ErrorsNameTheLine) {
  EXPECT_SPML_ERROR(elements("[1]"), HasSubstr("f.json:1: expected '{'"));
  EXPECT_SPML_ERROR(elements(""), HasSubstr("the file ends here"));
  EXPECT_SPML_ERROR(elements("{\n\"a\": [\n{\"b\": 1"), HasSubstr("f.json:3: expected a closing"));
  EXPECT_SPML_ERROR(elements("{\"a\": [{]}"), HasSubstr("do not match"));
  EXPECT_SPML_ERROR(elements("{\"a\": [1 2]}"), HasSubstr("or a comma after an element"));
  EXPECT_SPML_ERROR(elements("{\"a\": [1,]}"), HasSubstr("expected a JSON value"));
  EXPECT_SPML_ERROR(elements("{\"a\": \"x\\"), HasSubstr("end of a string"));
  EXPECT_SPML_ERROR(elements("{\"a\": 1} x"), HasSubstr("nothing after"));
  EXPECT_SPML_ERROR(elements("{\"a\": " + std::string(5000, '[')), HasSubstr("nested too deeply"));
}

}  // namespace
}  // namespace spml
