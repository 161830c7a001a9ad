// One HTML file that opens offline: template, script, style, chart library and results.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "report/collect.h"

namespace spml {

// Whether the program was built with the chart library (SPML_WEB).
bool can_draw_pages();

// Error without the chart library.
std::string draw_page(const Report& report);

// page.html with a title and these scripts, which draw the JSON. Error without the chart library.
std::string fill_page(std::string_view title, std::initializer_list<std::string_view> scripts,
                      std::string_view json);

// JSON escaped for use inside <script>.
std::string for_script(std::string_view json);

}  // namespace spml
