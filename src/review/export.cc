#include "review/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/fail.h"
#include "base/folders.h"
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

namespace {

// Label names for `spml import`: in "label" what is there, in "not" what is absent.
std::string line_of(const std::string& format, const std::string& image, const std::string& name,
                    std::string_view word, bool present, bool absent, const AnswerRecord* answer) {
  if (format == "csv") {
    const std::string field = csv_field(name);
    const bool scored = answer != nullptr && answer->score;
    return fmt::format(
        "{},{},{},{},{},{},{},{}\n", csv_field(image), field, word, present ? field : "",
        absent ? field : "", scored ? fmt::format("{:.6g}", *answer->score) : "",
        answer ? csv_field(answer->reviewer) : "", answer ? std::to_string(answer->time) : "");
  }
  Json json = {{"image", image}, {"class", name}, {"answer", word}};
  if (present) json["label"] = name;
  if (absent) json["not"] = name;
  if (answer != nullptr) {
    json["row"] = answer->entry.row;
    json["score"] = answer->score ? Json(*answer->score) : Json();
    json["reviewer"] = answer->reviewer;
    json["time"] = answer->time;
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string given_as_text(const Labelled& labelled, const std::string& format) {
  std::string text;
  std::vector<int8_t> labels(labelled.classes.size());
  for (size_t i = 0; i < labelled.observed.rows(); ++i) {
    labelled.observed.read_row(i, labels);
    for (size_t j = 0; j < labels.size(); ++j) {
      if (labels[j] == 0) continue;
      text += line_of(format, labelled.name(i), labelled.classes[j], "given", labels[j] > 0,
                      labels[j] < 0, nullptr);
    }
  }
  return text;
}

}  // namespace

std::string answers_header(const std::string& format) {
  return format == "csv" ? "image,class,answer,label,not,score,reviewer,time\n" : "";
}

std::string answers_as_text(Store& store, const std::string& format,
                            const std::function<std::string(size_t row)>& name) {
  const auto& classes = store.subject().classes;
  std::string text;
  for (const AnswerRecord& answer : store.last_answers()) {
    text += line_of(format, name(static_cast<size_t>(answer.entry.row)),
                    classes.at(static_cast<size_t>(answer.entry.label)), to_string(answer.answer),
                    answer.answer == State::kYes, answer.answer == State::kNo, &answer);
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
    write_file(options.out, coco_text(labelled));
  } else if (options.format == "label-studio") {
    write_file(options.out, label_studio_text(labelled));
  } else {
    const auto name = [&](size_t row) { return labelled.name(row); };
    write_file(options.out, answers_header(options.format) +
                                given_as_text(labelled, options.format) +
                                answers_as_text(*store, options.format, name));
  }
  return report;
}

}  // namespace spml::review
