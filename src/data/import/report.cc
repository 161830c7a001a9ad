#include "base/fail.h"
#include "data/import/import.h"
#include "data/tag_names.h"

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

void find_similar(const ImportedSet& set, const Path& out, ImportReport& report) {
  std::vector<size_t> counts(set.classes.size());
  for (const auto* rows : {&set.train, &set.test}) {
    for (const ImportedRow& row : *rows) {
      for (const ImportedLabel& entry : row.positives) ++counts[static_cast<size_t>(entry.label)];
    }
  }
  for (const SimilarTags& pair : similar_tags(set.classes, counts)) {
    report.similar.push_back(describe(pair, set.classes, counts));
    report.merges.push_back(merge_command(pair, set.classes, out.string()));
  }
}

}  // namespace

ImportReport report_import(const ImportedSet& set, const Path& out) {
  const size_t labels = set.classes.size();
  ImportReport report{.name = set.name,
                      .labels = labels,
                      .complete = set.complete,
                      .train = count(set.train, labels, set.complete),
                      .test = count(set.test, labels, set.complete || set.full_test),
                      .label_columns = set.label_columns,
                      .published = set.published,
                      .warnings = set.warnings,
                      .similar = {},
                      .merges = {}};
  if (!set.published) find_similar(set, out, report);
  if (set.published) {
    compare("training rows", report.train.rows, set.published->train_rows, report.warnings);
    compare("test rows", report.test.rows, set.published->test_rows, report.warnings);
    compare("labels", report.labels, set.published->labels, report.warnings);
  }
  return report;
}

}  // namespace spml
