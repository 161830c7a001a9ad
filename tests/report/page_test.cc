#include "report/page.h"

#include "report/embedded.h"
#include "testing.h"

namespace spml {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Page, ResultsCannotEndTheirScriptElement) {
  const Json hostile = {{"title", "</script><script>alert(1)</script><!--"}};
  const std::string text = embed_json(hostile);
  EXPECT_THAT(text, Not(HasSubstr("<")));
  EXPECT_EQ(Json::parse(text), hostile);
}

TEST(Page, HoldsEverythingItNeeds) {
  const Json report = {{"version", "1"}, {"sections", Json::array()}};
  if (!can_draw_pages()) {
    EXPECT_SPML_ERROR(draw_page(report), HasSubstr("-DSPML_WEB=ON"));
    return;
  }
  const std::string page = draw_page(report);
  EXPECT_THAT(page, HasSubstr(embed_json(report)));
  for (const char* name : {"page.css", "charts.js", "page.js", "vega.js", "vega-lite.js",
                           "vega-embed.js", "licenses.txt"}) {
    ASSERT_FALSE(asset(name).empty()) << name;
    EXPECT_NE(page.find(asset(name)), std::string::npos) << name;
  }
  EXPECT_THAT(page, Not(HasSubstr("<script src")));
}

}  // namespace
}  // namespace spml
