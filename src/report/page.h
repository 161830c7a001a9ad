// One HTML file that opens offline: the page's template, its script and style, the chart library
// and the results in one.
#pragma once

#include <string>
#include <string_view>

#include "report/collect.h"

namespace spml {

// Whether the program was built with the chart library (SPML_WEB).
bool can_draw_pages();

// Error without the chart library.
std::string draw_page(const Report& report);

// A page of the program's own, with this JSON as its data. Error without the chart library.
std::string fill_page(std::string_view name, std::string json);

// JSON that stands safely inside <script>.
std::string for_script(std::string json);

}  // namespace spml
