// One HTML file that opens offline: the page's template, its script and style, the chart library
// and the results in one.
#pragma once

#include <string>

#include "experiment/config.h"

namespace spml {

// Whether the program was built with the chart library (SPML_WEB).
bool can_draw_pages();

// The page of what collect() returns. Error without the chart library.
std::string draw_page(const Json& report);

// JSON that stands safely inside <script>.
std::string embed_json(const Json& value);

}  // namespace spml
