#include "report/page.h"

#include <nlohmann/json.hpp>

#include "report/embedded.h"
#include "testing.h"

namespace spml {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Page, ResultsCannotEndTheirScriptElement) {
  Report hostile;
  hostile.sections.emplace_back().title = "</script><script>alert(1)</script><!--";
  const std::string text = for_script(json_text(hostile));
  EXPECT_THAT(text, Not(HasSubstr("<")));
  EXPECT_EQ(nlohmann::json::parse(text), nlohmann::json::parse(json_text(hostile)));
}

TEST(Page, HoldsEverythingItNeeds) {
  const Report report{"1", {}};
  if (!can_draw_pages()) {
    EXPECT_SPML_ERROR(draw_page(report), HasSubstr("-DSPML_WEB=ON"));
    return;
  }
  const std::string page = draw_page(report);
  EXPECT_THAT(page, HasSubstr(for_script(json_text(report))));
  for (const char* name : {"page.css", "charts.js", "page.js", "vega.js", "vega-lite.js",
                           "vega-embed.js", "licenses.txt"}) {
    ASSERT_FALSE(asset(name).empty()) << name;
    EXPECT_NE(page.find(asset(name)), std::string::npos) << name;
  }
  EXPECT_THAT(page, Not(HasSubstr("<script src")));
}

}  // namespace
}  // namespace spml
