#include "data/tag_names.h"

#include "testing.h"

namespace spml {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Pairs as "rare=common".
std::vector<std::string> pairs(const std::vector<std::string>& names,
                               const std::vector<size_t>& counts) {
  std::vector<std::string> found;
  for (const SimilarTags& pair : similar_tags(names, counts)) {
    found.push_back(names[pair.rare] + "=" + names[pair.common]);
  }
  return found;
}

TEST(TagNames, FindsPluralsHyphensAndSlips) {
  EXPECT_THAT(pairs({"icon", "icons", "flag", "flags", "mime-types", "mimetypes", "berry",
                     "berries", "bus", "buses"},
                    {9, 2, 3, 8, 1, 4, 5, 2, 6, 1}),
              ElementsAre("berries=berry", "buses=bus", "flag=flags", "icons=icon",
                          "mime-types=mimetypes"));
  EXPECT_THAT(pairs({"person", "perosn", "persom"}, {500, 2, 3}),
              ElementsAre("perosn=person", "persom=person"));
  EXPECT_THAT(pairs({"motorbike", "motobike"}, {500, 2}), ElementsAre("motobike=motorbike"));
}

TEST(TagNames, LeavesDifferentWordsAlone) {
  EXPECT_THAT(pairs({"horses", "houses", "boat", "goat", "glass", "glas", "bus", "bu"},
                    {40, 30, 9, 9, 9, 9, 9, 9}),
              ElementsAre());
  EXPECT_THAT(pairs({"layer 10", "layer 11", "version1", "version2"}, {100, 1, 100, 1}), IsEmpty());
  EXPECT_THAT(pairs({}, {}), IsEmpty());
}

TEST(TagNames, TheKeyIsWhatPeopleSee) {
  EXPECT_EQ(tag_key("Fire  Truck\xC2\xA0"), "fire truck");
  EXPECT_EQ(tidy_tag("\xEF\xBB\xBF Fire\xC2\xA0Truck "), "Fire Truck");
  EXPECT_EQ(tidy_tag("\xE2\x80\x8B"), "");
  EXPECT_EQ(tag_key("🐈 Cat"), "🐈 cat");
}

TEST(TagNames, TheCommandCanBeTyped) {
  const std::vector<std::string> names = {"it's", "its"};
  const std::vector<size_t> counts = {1, 5};
  const SimilarTags pair{0, 1};
  EXPECT_EQ(merge_command(pair, names, "my data"), "spml tags 'my data' merge 'it'\\''s' into its");
  EXPECT_EQ(describe(pair, names, counts), "'it's' (1) and 'its' (5)");
}

}  // namespace
}  // namespace spml
