#include "review/answer_log.h"

#include <nlohmann/json.hpp>

#include "base/fail.h"

namespace spml::review {
namespace {

using Json = nlohmann::ordered_json;

// The number of the last answer in the file; 0 for an empty one. A line that a killed program left
// half written is cut off.
int64_t last_id(const Path& path, const std::string& review) {
  if (!std::filesystem::exists(path)) return 0;
  const std::string text = read_file(path);
  const size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  int64_t id = 0;
  if (whole > 0) {
    const size_t begin = whole >= 2 ? text.rfind('\n', whole - 2) : std::string::npos;
    const size_t first = begin == std::string::npos ? 0 : begin + 1;
    const auto json = Json::parse(text.substr(first, whole - first), nullptr, false);
    if (json.is_object() && json.value("review", Json()) == review &&
        json.value("id", Json()).is_number_unsigned()) {
      id = json["id"].get<int64_t>();
    }
  }
  if (id == 0 && !text.empty() && !(whole == 0 && text.starts_with("{\"id\":"))) {
    fail(
        "{}: expected the answers of this review, found something else at its end; choose another "
        "file",
        path.string());
  }
  if (whole < text.size()) std::filesystem::resize_file(path, whole);
  return id;
}

}  // namespace

std::string answer_line(const AnswerRecord& answer, const Subject& subject,
                        const std::string& image) {
  Json json;
  json["id"] = static_cast<uint64_t>(answer.id);
  json["review"] = subject.id;
  json["time"] = answer.time;
  json["reviewer"] = answer.reviewer;
  json["row"] = answer.entry.row;
  json["image"] = image;
  json["class"] = subject.classes.at(static_cast<size_t>(answer.entry.label));
  json["answer"] = to_string(answer.answer);
  json["undo"] = answer.undo;
  json["score"] = answer.score ? Json(*answer.score) : Json();
  json["run"] = answer.run;
  json["sample"] = answer.sample ? Json(*answer.sample) : Json();
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

AnswerLog::AnswerLog(const Path& file, Store& store, NameOfRow name)
    : path_(file), store_(store), name_(std::move(name)) {
  const int64_t last = last_id(file, store.subject().id);
  file_.reset(std::fopen(file.c_str(), "ae"));
  if (!file_) fail("{}: cannot write the log", file.string());
  store_.for_answers(last, [this](const AnswerRecord& answer) { write(answer); });
  store_.on_answer([this](const AnswerRecord& answer) { write(answer); });
}

AnswerLog::~AnswerLog() { store_.on_answer({}); }

// A line that cannot be written is not lost: the database has the answer, and the next start adds
// it.
void AnswerLog::write(const AnswerRecord& answer) {
  const std::string line =
      answer_line(answer, store_.subject(), name_(static_cast<size_t>(answer.entry.row)));
  std::fwrite(line.data(), 1, line.size(), file_.get());
  std::fflush(file_.get());
}

}  // namespace spml::review
