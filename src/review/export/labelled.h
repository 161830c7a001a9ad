// The input of every export, and where it goes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/dataset.h"
#include "review/store/store.h"

namespace spml::review {

struct ExportOptions {
  Path review;
  Path out;  // a folder for data and voc, else a file
  std::string format;
  bool overwrite = false;
};

struct ExportReport {
  size_t yes = 0, no = 0, unsure = 0;  // answers
  std::string data;                    // the data folder, as the review names it
  std::vector<std::string> notices;    // decisions made on the user's behalf
};

// The labels that a format writes.
struct Labelled {
  Dataset data;
  LabelMatrix observed;               // as they were before the review
  LabelMatrix labels;                 // with the answers: +1, -1, 0
  std::vector<AnswerRecord> answers;  // the last of each entry
  std::vector<Entry> unsure;          // those that were left open, sorted
  std::vector<std::string> classes;
  std::string name(size_t row) const;  // of the image, or "12"
  std::span<const Entry> unsure_of(size_t row) const;
};

// Text written to a file that appears once it is complete: labels may not fit in memory.
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

}  // namespace spml::review
