#include "review/store/answer_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/fail.h"
#include "base/folders.h"
#include "formats/json.h"
#include "formats/json_object.h"

namespace spml::review {
namespace {

// A file to add lines to: no link is followed, and nothing is waited for.
std::FILE* open_log(const Path& path) {
  const int flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const int fd = ::open(path.c_str(), flags, 0666);
  if (fd < 0) fail("{}: cannot write the log: {}", path.string(), std::strerror(errno));
  struct stat info;
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
    fail("{}: expected a regular file for the log", path.string());
  }
  return ::fdopen(fd, "a");
}

// The number in the last line of a log, if it is one of this review.
int64_t id_in(std::string_view line, const std::string& review, const Path& path) try {
  const auto json = parse_json(line, path.string());
  const JsonObject object(json, path.string());
  if (object.text("review", "") != review || !object.has("id")) fail("of another review");
  return static_cast<int64_t>(object.count("id", 0, 1, size_t{1} << 53));  // exact as a double
} catch (const Error&) {
  fail(
      "{}: expected the answers of this review, found something else at its end; choose another "
      "file",
      path.string());
}

// How much of a log is whole lines, and the number of the last answer in them.
struct LogEnd {
  size_t bytes = 0;
  int64_t id = 0;
};

LogEnd find_end(const Path& path, const std::string& review) {
  const MappedFile file(path);
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()),
                              file.bytes().size());
  const size_t whole = text.rfind('\n') + 1;  // 0 where there is none
  const bool cut_short = whole == 0 && text.starts_with("{\"id\":");
  if (text.empty() || cut_short) return {};
  const std::string_view lines = text.substr(0, whole > 0 ? whole - 1 : text.size());
  return {whole, id_in(lines.substr(lines.rfind('\n') + 1), review, path)};
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
  file_.reset(open_log(file));
  const LogEnd end = find_end(file, store.subject().id);
  // A line that a killed program left half written is cut off.
  if (::ftruncate(::fileno(file_.get()), static_cast<off_t>(end.bytes)) != 0) {
    fail("{}: cannot write the log: {}", file.string(), std::strerror(errno));
  }
  store_.for_answers(end.id, [this](const AnswerRecord& answer) { write(answer); });
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
