#include "base/fail.h"
#include "data/import/import.h"

namespace spml {
namespace {

PartCounts count(const std::vector<ImportedRow>& rows) {
  PartCounts counts{rows.size(), 0, 0};
  for (const ImportedRow& row : rows) {
    counts.positives += row.positives.size();
    counts.rows_without_positive += row.positives.empty();
  }
  return counts;
}

void compare(std::string_view what, size_t found, size_t published,
             std::vector<std::string>& warnings) {
  if (found == published) return;
  warnings.push_back(fmt::format("found {} {}, the paper has {}", found, what, published));
}

}  // namespace

ImportReport report_import(const ImportedSet& set) {
  ImportReport report{set.name,        set.classes.size(), set.complete, count(set.train),
                      count(set.test), set.published,      set.warnings};
  if (set.published) {
    compare("training rows", report.train.rows, set.published->train_rows, report.warnings);
    compare("test rows", report.test.rows, set.published->test_rows, report.warnings);
    compare("labels", report.labels, set.published->labels, report.warnings);
  }
  return report;
}

}  // namespace spml
