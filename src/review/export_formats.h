// One function per format of export.cc.
#pragma once

#include "data/dataset.h"
#include "review/export.h"

namespace spml::review {

// What a format is made from.
struct Labelled {
  Dataset data;
  LabelMatrix observed;               // as the review began
  LabelMatrix labels;                 // with the answers: +1, -1, 0
  std::vector<AnswerRecord> answers;  // the last of each entry
  std::vector<std::string> classes;
  std::string name(size_t row) const;                // of the image, or "row 12"
  std::vector<std::vector<int32_t>> unsure() const;  // labels of each row that were left open
};

void write_data(const Labelled& labelled, const ExportOptions& options, ExportReport& report);
void write_voc(const Labelled& labelled, const ExportOptions& options);
std::string coco_text(const Labelled& labelled);
std::string label_studio_text(const Labelled& labelled);

}  // namespace spml::review
