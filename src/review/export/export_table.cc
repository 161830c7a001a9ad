// CSV and JSON Lines: the given labels and the last answer of every entry.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "formats/csv.h"
#include "review/export/export_formats.h"

namespace spml::review {
namespace {

using Json = nlohmann::ordered_json;

// A text, escaped for a line.
std::string field_of(const std::string& format, const std::string& text) {
  return format == "csv" ? csv_field(text)
                         : Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Label names for `spml import`: present ones in "label", absent ones in "not". `image` and `name`
// are fields, escaped once for all their lines.
std::string line_of(const std::string& format, std::string_view image, std::string_view name,
                    std::string_view word, bool present, bool absent, const AnswerRecord* answer) {
  const bool scored = answer != nullptr && answer->score;
  const std::string reviewer = answer != nullptr ? field_of(format, answer->reviewer) : "";
  if (format == "csv") {
    return fmt::format("{},{},{},{},{},{},{},{}\n", image, name, word, present ? name : "",
                       absent ? name : "", scored ? fmt::format("{:.6g}", *answer->score) : "",
                       reviewer, answer != nullptr ? std::to_string(answer->time) : "");
  }
  std::string line = fmt::format(R"({{"image":{},"class":{},"answer":"{}")", image, name, word);
  if (present) line += fmt::format(R"(,"label":{})", name);
  if (absent) line += fmt::format(R"(,"not":{})", name);
  if (answer != nullptr) {
    line += fmt::format(R"(,"row":{},"score":{},"reviewer":{},"time":{})", answer->entry.row,
                        scored ? Json(*answer->score).dump() : "null", reviewer, answer->time);
  }
  return line + "}\n";
}

std::string line_of(const std::string& format, const std::string& image, const std::string& name,
                    const AnswerRecord& answer) {
  return line_of(format, field_of(format, image), field_of(format, name), to_string(answer.answer),
                 answer.answer == State::kYes, answer.answer == State::kNo, &answer);
}

void write_given(const Labelled& labelled, const std::string& format, TextFile& file) {
  std::vector<std::string> names;
  for (const std::string& name : labelled.classes) names.push_back(field_of(format, name));
  std::vector<int8_t> labels(names.size());
  for (size_t i = 0; i < labelled.observed.rows(); ++i) {
    labelled.observed.read_row(i, labels);
    const std::string image = field_of(format, labelled.name(i));
    for (size_t j = 0; j < labels.size(); ++j) {
      if (labels[j] == 0) continue;
      file.write(line_of(format, image, names[j], "given", labels[j] > 0, labels[j] < 0, nullptr));
    }
  }
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
                    classes.at(static_cast<size_t>(answer.entry.label)), answer);
  }
  return text;
}

void write_table(const Labelled& labelled, const ExportOptions& options) {
  TextFile file(options.out);
  file.write(answers_header(options.format));
  write_given(labelled, options.format, file);
  for (const AnswerRecord& answer : labelled.answers) {
    file.write(line_of(options.format, labelled.name(static_cast<size_t>(answer.entry.row)),
                       labelled.classes.at(static_cast<size_t>(answer.entry.label)), answer));
  }
  file.commit();
}

}  // namespace spml::review
