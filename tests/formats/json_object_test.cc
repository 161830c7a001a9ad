// Values of the wrong type, out of range or under an unknown key are errors that say where.
#include "formats/json_object.h"

#include "testing.h"

namespace spml {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const nlohmann::json kJson = {{"name", "an"}, {"n", 3},         {"share", 0.5},
                              {"on", true},   {"list", {1, 2}}, {"none", nlohmann::json::array()}};

TEST(JsonObject, GivesWhatIsThereAndTheDefaultOfTheRest) {
  const JsonObject object(kJson, "file");
  EXPECT_EQ(object.text("name", ""), "an");
  EXPECT_EQ(object.count("n", 1, 1, 3), 3u);
  EXPECT_EQ(object.number("share", 1, 0, 1), 0.5);
  EXPECT_TRUE(object.flag("on"));
  EXPECT_EQ(object.text("other", "x"), "x");
  EXPECT_EQ(object.count("other", 7, 0, 1), 7u);
  EXPECT_FALSE(object.flag("other"));
  const auto count = [](const auto& item, const std::string& place) {
    return JsonObject::count_of(item, place, 0, 9);
  };
  EXPECT_EQ(object.list("list", count), (std::vector<size_t>{1, 2}));
  EXPECT_EQ(object.list("other", count), std::vector<size_t>{});
}

TEST(JsonObject, SaysWhichValueIsWrong) {
  const JsonObject object(kJson, "file");
  EXPECT_SPML_ERROR(object.text("n", ""), HasSubstr("file: 'n': expected text, found 3"));
  EXPECT_SPML_ERROR(object.count("n", 1, 1, 2), HasSubstr("from 1 to 2, found 3"));
  EXPECT_SPML_ERROR(object.count("share", 1, 0, 2), HasSubstr("whole number, found 0.5"));
  EXPECT_SPML_ERROR(object.number("name", 1, 0, 2), HasSubstr("found \"an\""));
  EXPECT_SPML_ERROR(object.flag("n"), HasSubstr("true or false"));
  EXPECT_SPML_ERROR(object.list("none", JsonObject::text_of), HasSubstr("1 to 1000 items"));
  EXPECT_SPML_ERROR(object.list("list", JsonObject::text_of),
                    HasSubstr("'list'[0]: expected text"));
  EXPECT_SPML_ERROR(object.allow_only({"name", "n", "share", "on", "lists", "none"}),
                    AllOf(HasSubstr("unknown key 'list'"), HasSubstr("'lists'")));
  EXPECT_SPML_ERROR(JsonObject(kJson["list"], "file"), HasSubstr("expected a JSON object"));
}

}  // namespace
}  // namespace spml
