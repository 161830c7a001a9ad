#include "base/fail.h"
#include "data/import/import.h"

namespace spml {
namespace {

// In truth, what is not listed is absent: nothing to count.
PartCounts count(const std::vector<ImportedRow>& rows, size_t labels, bool truth) {
  PartCounts counts{.rows = rows.size()};
  for (const ImportedRow& row : rows) {
    counts.positives += row.positives.size();
    counts.rows_without_positive += row.positives.empty();
    if (truth) continue;
    counts.negatives += row.complete ? labels - row.positives.size() : row.negatives.size();
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
  const size_t labels = set.classes.size();
  ImportReport report{.name = set.name,
                      .labels = labels,
                      .complete = set.complete,
                      .train = count(set.train, labels, set.complete),
                      .test = count(set.test, labels, set.complete || set.full_test),
                      .label_columns = set.label_columns,
                      .published = set.published,
                      .warnings = set.warnings};
  if (set.published) {
    compare("training rows", report.train.rows, set.published->train_rows, report.warnings);
    compare("test rows", report.test.rows, set.published->test_rows, report.warnings);
    compare("labels", report.labels, set.published->labels, report.warnings);
  }
  return report;
}

}  // namespace spml
