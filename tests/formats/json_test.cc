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

// In time linear in the text: these took minutes while every object looked at all before it.
TEST(ParseJson, ManyObjectsAreNoTrouble) {
  std::string list = "[{}", keys = "{\"\":{}";
  for (int i = 0; i < 300'000; ++i) {
    list += ",{}";
    keys += ",\"" + std::to_string(i) + "\":{}";
  }
  EXPECT_EQ(parse_json(list + "]", "f").size(), 300'001u);
  EXPECT_EQ(parse_json(keys + "}", "f").size(), 300'001u);
  EXPECT_EQ(parse_ordered_json(list + "]", "f").size(), 300'001u);
  EXPECT_SPML_ERROR(parse_ordered_json(keys + "}", "f"), HasSubstr("at most 10000 keys"));
}

TEST(Json, ValuesAreCounted) {
  std::string text = "[";
  for (int i = 0; i < 4'000'000; ++i) text += "[],";
  EXPECT_SPML_ERROR(parse_json(text + "[]]", "x.json"),
                    testing::HasSubstr("at most 4000000 values"));
}

}  // namespace
}  // namespace spml
