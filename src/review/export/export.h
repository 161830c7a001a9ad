// The labels of a review in the formats of other programs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "review/export/labelled.h"
#include "review/store/store.h"

namespace spml::review {

// data, csv, jsonl, coco, voc, label-studio
const std::vector<std::string>& export_formats();
// ".csv" and so on; "" for folders.
std::string export_ending(const std::string& format);

// Also works while the review is being served.
ExportReport export_review(const ExportOptions& options);

// The last answers, one per line: a table (csv), which begins with the header, or JSON Lines
// (jsonl, without one).
std::string answers_header(const std::string& format);
std::string answers_as_text(Store& store, const std::string& format,
                            const std::function<std::string(size_t row)>& name);

}  // namespace spml::review
