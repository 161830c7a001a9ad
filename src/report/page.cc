#include "report/page.h"

#include "base/fail.h"
#include "report/embedded.h"

namespace spml {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

bool can_draw_pages() { return !asset("vega.js").empty(); }

std::string for_script(std::string json) {
  replace_all(json, "<", "\\u003c");  // so no tag can begin
  return json;
}

std::string draw_page(const Report& report) {
  return fill_page("spml report", {"charts.js", "page.js"}, json_text(report));
}

std::string fill_page(std::string_view title, std::initializer_list<std::string_view> scripts,
                      std::string json) {
  if (!can_draw_pages()) {
    fail(
        "this spml was built without the chart library; install npm, configure with "
        "-DSPML_WEB=ON and build again");
  }
  // @@name@@ in the template stands for a file, or for what differs between pages.
  const std::string_view page = asset("page.html");
  const std::string data = for_script(std::move(json));
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
