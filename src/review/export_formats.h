// One function per format of export.cc.
#pragma once

#include <span>

#include "data/dataset.h"
#include "review/export.h"

namespace spml::review {

// What a format is made from.
struct Labelled {
  Dataset data;
  LabelMatrix observed;               // as the review began
  LabelMatrix labels;                 // with the answers: +1, -1, 0
  std::vector<AnswerRecord> answers;  // the last of each entry
  std::vector<Entry> unsure;          // those that were left open, sorted
  std::vector<std::string> classes;
  std::string name(size_t row) const;  // of the image, or "12"
  std::span<const Entry> unsure_of(size_t row) const;
};

// Text on its way to a file, which appears when it is whole: labels may be more than memory holds.
class TextFile {
 public:
  explicit TextFile(const Path& path) : file_(path) {}
  void write(std::string_view text);
  void commit();

 private:
  static constexpr size_t kBlock = size_t{1} << 16;
  AtomicFile file_;
  std::string text_;
};

void write_data(const Labelled& labelled, const ExportOptions& options, ExportReport& report);
void write_table(const Labelled& labelled, const ExportOptions& options);  // csv and jsonl
void write_coco(const Labelled& labelled, const ExportOptions& options);
void write_voc(const Labelled& labelled, const ExportOptions& options);
void write_label_studio(const Labelled& labelled, const ExportOptions& options);

}  // namespace spml::review
