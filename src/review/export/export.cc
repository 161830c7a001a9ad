#include "review/export/export.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fail.h"
#include "base/folders.h"
#include "base/text.h"
#include "review/export/export_formats.h"
#include "review/store/answered_labels.h"
#include "review/store/review_folder.h"

namespace spml::review {
namespace {

bool is_folder_format(const std::string& format) { return format == "data" || format == "voc"; }

void check_out(const ExportOptions& options) {
  if (options.overwrite || !path_exists(options.out)) return;
  if (is_folder_format(options.format) && is_empty_folder(options.out)) return;
  fail("{}: exists already; choose another name or add --overwrite", options.out.string());
}

Labelled load(const Path& review, Store& store) {
  const Subject& subject = store.subject();
  Labelled labelled;
  DatasetOptions options;
  options.load_features = false;
  labelled.data = open_dataset(subject.data, options);
  labelled.observed = open_observed(review, subject);
  labelled.labels = with_answers(labelled.observed, store.answered());
  labelled.answers = store.last_answers();
  for (const AnswerRecord& answer : labelled.answers) {
    if (answer.answer == State::kUnsure) labelled.unsure.push_back(answer.entry);
  }
  std::sort(labelled.unsure.begin(), labelled.unsure.end());
  labelled.classes = subject.classes;
  if (labelled.data.train_file.rows() != subject.rows) {
    fail("{}: expected the {} rows that the review began with, found {}", subject.data,
         subject.rows, labelled.data.train_file.rows());
  }
  return labelled;
}

}  // namespace

const std::vector<std::string>& export_formats() {
  static const std::vector<std::string> formats = {"data", "csv", "jsonl",
                                                   "coco", "voc", "label-studio"};
  return formats;
}

std::string export_ending(const std::string& format) {
  if (is_folder_format(format)) return "";
  return format == "csv" ? ".csv" : format == "jsonl" ? ".jsonl" : ".json";
}

ExportReport export_review(const ExportOptions& options) {
  const auto& formats = export_formats();
  if (std::find(formats.begin(), formats.end(), options.format) == formats.end()) {
    fail_usage("--format: expected one of {}, found '{}'{}", fmt::join(formats, ", "),
               options.format, did_you_mean(options.format, formats));
  }
  check_out(options);
  const Path file = database_file(options.review);
  if (!path_exists(file)) {
    fail("{}: expected a review, found no review.db in it", options.review.string());
  }
  const auto store = Store::open_read_only(file);
  ExportReport report;
  report.data = store->subject().data;
  for (const Counts& counts : store->counts()) {
    report.yes += counts[1];
    report.no += counts[2];
    report.unsure += counts[3];
  }
  const Labelled labelled = load(options.review, *store);
  if (options.format == "data") {
    write_data(labelled, options, report);
  } else if (options.format == "voc") {
    write_voc(labelled, options);
  } else if (options.format == "coco") {
    write_coco(labelled, options);
  } else if (options.format == "label-studio") {
    write_label_studio(labelled, options);
  } else {
    write_table(labelled, options);
  }
  return report;
}

}  // namespace spml::review
