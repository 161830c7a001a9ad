// Man pages and docs/reference.md, generated from the declarations of the verbs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/flags/flags.h"

namespace spml::cli {

// A page in roff; `path` is "import voc".
std::string man_page(const Verb& verb, const std::string& path);
std::string man_page(const std::vector<Verb>& verbs);  // spml(1)

// Every page by its file name: spml.1, spml-train.1, spml-import-voc.1, ...
std::vector<std::pair<std::string, std::string>> all_man_pages(const std::vector<Verb>& verbs);

// docs/reference.md
std::string reference_markdown(const std::vector<Verb>& verbs);

}  // namespace spml::cli
