// From declarations and words to values, without running the program.
#include "cli/flags/parse.h"

#include "cli/flags/help.h"
#include "testing.h"

namespace spml::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

struct Values {
  Common common;
  std::string folder, word = "a", expanded;
  double number = 0.5;
  std::optional<int> count;
  std::vector<double> list = {1, 2};
  std::vector<std::string> each, many, once;
  bool on = false, header = true, force = false;
};

class Parse : public testing::Test {
 protected:
  Parse() {
    Verb bake{.name = "bake",
              .summary = "Bake bread",
              .positionals = {{.name = "DIR", .target = &v.folder, .help = "", .required = true}},
              .common = &v.common,
              .run = [] {}};
    bake.flags = {{.name = "word", .target = &v.word, .help = "", .choices = {"a", "bee"}},
                  {.name = "number", .target = &v.number, .help = "A number", .range = kPositive},
                  {.name = "count", .target = &v.count, .help = "", .range = {1, 10}},
                  {.name = "list", .target = &v.list, .help = "", .commas = true, .several = true},
                  {.name = "each", .target = &v.each, .help = ""},
                  {.name = "many", .target = &v.many, .help = "", .several = true},
                  {.name = "once", .target = &v.once, .help = "", .once = true},
                  {.name = "on", .target = &v.on, .help = "", .excludes = {"count"}},
                  {.name = "no-header", .target = Switch(&v.header, false), .help = ""},
                  {.name = "force", .target = &v.force, .help = "", .consent = true},
                  {.name = "thin", .target = &v.expanded, .help = "", .needs = {{"word", "bee"}}}};
    verbs = {with_common_flags(std::move(bake)),
             {.name = "group",
              .summary = "",
              .verbs = {with_common_flags(
                  {.name = "one", .summary = "", .common = &v.common, .run = [] {}})}}};
  }

  Parsed bake(std::vector<std::string> words) {
    words.insert(words.begin(), "bake");
    return parse(verbs, words);
  }

  std::string config(const std::string& json) {
    write_file(folder / "c.json", json);
    return folder / "c.json";
  }

  TemporaryFolder folder;
  Values v;
  std::vector<Verb> verbs;
};

TEST_F(Parse, StoresValuesOfEveryKind) {
  const Parsed parsed = bake({"--number=2.5", "--on", "d", "--each", "x", "--each", "y", "--list",
                              "3,4", "5", "--many", "p", "q", "--no-header", "--once", "o"});
  EXPECT_EQ(parsed.path, "bake");
  EXPECT_EQ(v.folder, "d");
  EXPECT_EQ(v.number, 2.5);
  EXPECT_TRUE(v.on);
  EXPECT_FALSE(v.header);
  EXPECT_THAT(v.each, ElementsAre("x", "y"));
  EXPECT_THAT(v.list, ElementsAre(3, 4, 5));
  EXPECT_THAT(v.many, ElementsAre("p", "q"));
  EXPECT_THAT(v.once, ElementsAre("o"));
  EXPECT_EQ(v.count, std::nullopt);
}

TEST_F(Parse, ListsLeaveThePositionalArgument) {
  bake({"--many", "p", "q", "d"});
  EXPECT_THAT(v.many, ElementsAre("p", "q"));
  EXPECT_EQ(v.folder, "d");
}

TEST_F(Parse, WordsAfterTwoDashesAreNoFlags) {
  bake({"--", "--on"});
  EXPECT_EQ(v.folder, "--on");
  EXPECT_FALSE(v.on);
}

TEST_F(Parse, AMisspeltFlagIsNamedBeforeAnythingElse) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--nubmer", "1"},
                                                {"--count", "x", "d", "e", "--nubmer=1"},
                                                {"--config", "nowhere.json", "--nubmer"},
                                                {"--nubmer", "--count"}}) {
    EXPECT_SPML_ERROR(bake(words),
                      testing::Eq("unknown flag '--nubmer'; did you mean '--number'?"));
  }
  EXPECT_SPML_ERROR(bake({"d", "--zzzzzzzzz"}), HasSubstr("`spml bake --help`"));
  EXPECT_SPML_ERROR(bake({"d", "-x"}), HasSubstr("unknown flag '-x'"));
  EXPECT_SPML_ERROR(parse(verbs, {"bke", "d"}), HasSubstr("did you mean 'bake'?"));
  EXPECT_SPML_ERROR(parse(verbs, {"group", "on"}), HasSubstr("did you mean 'one'?"));
  EXPECT_SPML_ERROR(parse(verbs, {"group"}), HasSubstr("one"));
}

TEST_F(Parse, ValuesAreChecked) {
  const auto refused = [&](const std::string& flag, const std::string& text,
                           const std::string& why) {
    EXPECT_SPML_ERROR(bake({"d", flag, text}), AllOf(StartsWith(flag + ": "), HasSubstr(why)));
  };
  refused("--number", "0", "expected a number above 0, found '0'");
  refused("--number", "-1", "above 0");
  refused("--number", "nan", "expected a number");
  refused("--number", "1x", "expected a number");
  refused("--count", "11", "expected a whole number from 1 to 10, found '11'");
  refused("--count", "1.5", "whole number");
  refused("--word", "be", "expected a or bee, found 'be'; did you mean 'bee'?");
  refused("--list", "1,,2", "expected a number");
  refused("--number", "--on", "expected a value");
  EXPECT_SPML_ERROR(bake({"d", "--count"}), HasSubstr("found nothing"));
  EXPECT_SPML_ERROR(bake({"d", "--number", "1", "--number", "2"}), HasSubstr("expected one value"));
  EXPECT_SPML_ERROR(bake({"d", "--once", "1", "--once", "2"}), HasSubstr("expected one value"));
  EXPECT_SPML_ERROR(bake({"d", "--on=maybe"}), HasSubstr("--on"));
  EXPECT_SPML_ERROR(bake({"d", "e"}), HasSubstr("unexpected argument 'e'"));
  EXPECT_SPML_ERROR(bake({}), HasSubstr("missing: DIR"));
}

TEST_F(Parse, FlagsNeedAndExcludeOthers) {
  EXPECT_SPML_ERROR(bake({"d", "--on", "--count", "2"}), HasSubstr("--on and --count exclude"));
  EXPECT_SPML_ERROR(bake({"d", "--thin", "x"}), HasSubstr("--thin requires --word bee"));
  bake({"d", "--thin", "x", "--word", "bee"});
}

TEST_F(Parse, AConfigFileHoldsFlagsThatAreNotGiven) {
  const std::string file =
      config(R"({"number": 7, "count": 3, "list": [8, 9], "each": {"x": 1}, "json": true})");
  bake({"d", "--config", file, "--count", "4"});
  EXPECT_EQ(v.number, 7);
  EXPECT_EQ(v.count, 4);
  EXPECT_THAT(v.list, ElementsAre(8, 9));
  EXPECT_THAT(v.each, ElementsAre("x=1"));
  EXPECT_TRUE(v.common.json);
}

TEST_F(Parse, AConfigFileIsCheckedWithItsPlace) {
  const auto refused = [&](const std::string& json, const std::string& why) {
    const std::string file = config(json);
    EXPECT_SPML_ERROR(bake({"d", "--config", file}), AllOf(StartsWith(file), HasSubstr(why)));
  };
  refused(R"({"numbre": 1})", "unknown key 'numbre'; did you mean 'number'?");
  refused(R"({"number": -1})", "'number': expected a number above 0, found '-1'");
  refused(R"({"number": null})", "'number': expected a value, found null");
  refused(R"({"on": 1})", "'on': expected true or false");
  refused(R"({"config": "other.json"})", "'config' counts on the command line only");
  refused("[1]", "expected a JSON object");
  refused("{", "c.json");
  refused(std::string(100000, '[') + std::string(100000, ']'), "nest");
  EXPECT_SPML_ERROR(bake({"d", "--config", folder / "none.json"}), HasSubstr("none.json"));
}

TEST_F(Parse, ConsentCannotComeFromAFile) {
  const std::string file = config(R"({"force": true})");
  EXPECT_SPML_ERROR(bake({"d", "--config", file}), HasSubstr("give --force on the command line"));
  EXPECT_FALSE(v.force);
  bake({"d", "--force"});
  EXPECT_TRUE(v.force);
}

TEST_F(Parse, HelpShowsRangeAndDefaultAndWinsOverErrors) {
  EXPECT_TRUE(bake({"--nubmer", "--help"}).help);
  EXPECT_TRUE(parse(verbs, {"--help"}).verb == nullptr);
  const std::string text = help_text(verbs[0], "bake");
  EXPECT_THAT(text, HasSubstr("Usage: spml bake DIR [flags]"));
  EXPECT_THAT(text, HasSubstr("A number (above 0; default: 0.5)"));
  EXPECT_THAT(text, HasSubstr("--word a|bee"));
  EXPECT_THAT(text, AllOf(HasSubstr("--json"), HasSubstr("--quiet"), HasSubstr("--config")));
}

TEST_F(Parse, HelpListsVerbsInTheirGroups) {
  verbs[0].group = "Kitchen";
  const std::string text = help_text(verbs);
  const size_t kitchen = text.find("\nKitchen:\n  bake"), rest = text.find("\n\n  group");
  ASSERT_NE(kitchen, text.npos) << text;
  ASSERT_NE(rest, text.npos) << text;
  EXPECT_LT(kitchen, rest);
}

}  // namespace
}  // namespace spml::cli
