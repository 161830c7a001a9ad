#include "formats/json.h"

#include "testing.h"

namespace spml {
namespace {

using testing::HasSubstr;

TEST(ParseJson, GivesTheValue) {
  EXPECT_EQ(parse_json(R"({"a": [1, 2.5, null], "b": {"a": "x"}})", "f")["b"]["a"], "x");
}

TEST(ParseJson, SaysWhereItFails) {
  EXPECT_SPML_ERROR(parse_json("{\"a\": }", "f.json"), HasSubstr("f.json: expected valid JSON"));
  EXPECT_SPML_ERROR(parse_json("", "f.json"), HasSubstr("at byte 1"));
  EXPECT_SPML_ERROR(parse_json("\"\xff\"", "f.json"), HasSubstr("at byte 2"));
  EXPECT_SPML_ERROR(parse_json("[1e999]", "f.json"), HasSubstr("number out of range"));
}

TEST(ParseJson, RefusesDuplicateKeysWithinOneObject) {
  EXPECT_SPML_ERROR(parse_json(R"({"a": 1, "b": {"a": 1}, "a": 2})", "f"), HasSubstr("'a' twice"));
}

TEST(ParseJson, RefusesDeepNesting) {
  EXPECT_SPML_ERROR(parse_json(std::string(1000000, '['), "f"), HasSubstr("at most 64 deep"));
  EXPECT_NO_THROW(parse_json(std::string(60, '[') + std::string(60, ']'), "f"));
}

TEST(Json, ValuesAreCounted) {
  std::string text = "[";
  for (int i = 0; i < 4'000'000; ++i) text += "[],";
  EXPECT_SPML_ERROR(parse_json(text + "[]]", "x.json"),
                    testing::HasSubstr("at most 4000000 values"));
}

}  // namespace
}  // namespace spml
