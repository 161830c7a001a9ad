// One function per format of export.cc.
#pragma once

#include "review/export/labelled.h"

namespace spml::review {

void write_data(const Labelled& labelled, const ExportOptions& options, ExportReport& report);
void write_table(const Labelled& labelled, const ExportOptions& options);  // csv and jsonl
void write_coco(const Labelled& labelled, const ExportOptions& options);
void write_voc(const Labelled& labelled, const ExportOptions& options);
void write_label_studio(const Labelled& labelled, const ExportOptions& options);

}  // namespace spml::review
