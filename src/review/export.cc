#include "review/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/fail.h"
#include "base/text.h"
#include "formats/csv.h"
#include "review/export_formats.h"
#include "review/labels.h"
#include "review/review.h"

namespace spml::review {
namespace {

using Json = nlohmann::ordered_json;

bool is_folder_format(const std::string& format) { return format == "data" || format == "voc"; }

void check_out(const ExportOptions& options) {
  namespace fs = std::filesystem;
  if (options.overwrite || !fs::exists(options.out)) return;
  if (is_folder_format(options.format) && fs::is_directory(options.out) &&
      fs::is_empty(options.out)) {
    return;
  }
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

std::string Labelled::name(size_t row) const {
  const NpyArray& images = data.train_file.images;
  return images.empty() ? fmt::format("row {}", row) : images.text(row);
}

std::vector<std::vector<int32_t>> Labelled::unsure() const {
  std::vector<std::vector<int32_t>> rows(labels.rows());
  for (const AnswerRecord& answer : answers) {
    if (answer.answer != State::kUnsure) continue;
    rows.at(static_cast<size_t>(answer.entry.row)).push_back(answer.entry.label);
  }
  for (auto& row : rows) std::sort(row.begin(), row.end());
  return rows;
}

std::string answers_as_text(Store& store, const std::string& format,
                            const std::function<std::string(size_t row)>& name) {
  const auto& classes = store.subject().classes;
  std::string text =
      format == "csv" ? "image_or_row,class,answer,score,reviewer,time\n" : std::string();
  for (const AnswerRecord& answer : store.last_answers()) {
    const std::string image = name(static_cast<size_t>(answer.entry.row));
    const std::string& label = classes.at(static_cast<size_t>(answer.entry.label));
    if (format == "csv") {
      text += fmt::format("{},{},{},{},{},{}\n", csv_field(image), csv_field(label),
                          to_string(answer.answer),
                          answer.score ? fmt::format("{:.6g}", *answer.score) : "",
                          csv_field(answer.reviewer), answer.time);
      continue;
    }
    const Json json = {{"row", answer.entry.row},
                       {"image", image},
                       {"class", label},
                       {"answer", to_string(answer.answer)},
                       {"score", answer.score ? Json(*answer.score) : Json()},
                       {"reviewer", answer.reviewer},
                       {"time", answer.time}};
    text += json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return text;
}

ExportReport export_review(const ExportOptions& options) {
  const auto& formats = export_formats();
  if (std::find(formats.begin(), formats.end(), options.format) == formats.end()) {
    fail_usage("--format: expected one of {}, found '{}'{}", fmt::join(formats, ", "),
               options.format, did_you_mean(options.format, formats));
  }
  check_out(options);
  const Path file = database_file(options.review);
  if (!std::filesystem::exists(file)) {
    fail("{}: expected a review, found no review.db in it", options.review.string());
  }
  const auto store = Store::open_read_only(file);
  ExportReport report;
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
    write_file(options.out, coco_text(labelled));
  } else if (options.format == "label-studio") {
    write_file(options.out, label_studio_text(labelled));
  } else {
    write_file(options.out, answers_as_text(*store, options.format,
                                            [&](size_t row) { return labelled.name(row); }));
  }
  return report;
}

}  // namespace spml::review
