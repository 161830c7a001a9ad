#include "report/page.h"

#include <algorithm>

#include "base/fail.h"
#include "report/embedded.h"

namespace spml {

bool can_draw_pages() { return !asset("vega.js").empty(); }

std::string for_script(std::string_view json) {
  std::string text;
  for (size_t at = 0; at < json.size();) {
    const size_t end = std::min(json.find('<', at), json.size());
    text += json.substr(at, end - at);
    if (end < json.size()) text += "\\u003c";  // so that no tag can begin
    at = end + 1;
  }
  return text;
}

std::string draw_page(const Report& report) {
  return fill_page("spml report", {"charts.js", "page.js"}, json_text(report));
}

std::string fill_page(std::string_view title, std::initializer_list<std::string_view> scripts,
                      std::string_view json) {
  if (!can_draw_pages()) {
    fail(
        "this spml was built without the chart library; install npm, configure with "
        "-DSPML_WEB=ON and build again");
  }
  // @@name@@ in the template stands for a file or for a part that differs between pages.
  const std::string_view page = asset("page.html");
  const std::string data = for_script(json);
  std::string out;
  size_t at = 0;
  for (size_t begin; (begin = page.find("@@", at)) != std::string_view::npos;) {
    const size_t end = page.find("@@", begin + 2);
    const std::string_view name = page.substr(begin + 2, end - begin - 2);
    out += page.substr(at, begin - at);
    if (name == "data") {
      out += data;
    } else if (name == "title") {
      out += title;
    } else if (name == "script") {
      for (const std::string_view script : scripts) out += asset(script);
    } else {
      out += asset(name);
    }
    at = end + 2;
  }
  return out += page.substr(at);
}

}  // namespace spml
