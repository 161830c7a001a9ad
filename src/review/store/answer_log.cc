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

// The number of the answer in a line, if the line belongs to a log of this review.
int64_t id_in(std::string_view line, const Subject& review, const Path& path) try {
  const auto json = parse_json(line, path.string());
  const JsonObject object(json, path.string());
  if (object.text("review", "") != review.id || !object.has("id")) fail("of another review");
  return static_cast<int64_t>(object.count("id", 0, 1, size_t{1} << 53));  // exact as a double
} catch (const Error&) {
  fail(
      "{}: expected the answers of this review, found something else at its end; choose another "
      "file",
      path.string());
}

// The size of a log's complete lines, and the number of the last answer in them.
struct LogEnd {
  size_t bytes = 0, cut_off = 0;
  int64_t id = 0;
};

// Text after the last complete line is removed only if it is the beginning of the line that comes
// next: anything else is not ours.
LogEnd find_end(const Path& path, Store& store, const AnswerLog::NameOfRow& name) {
  const MappedFile file(path);
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()),
                              file.bytes().size());
  LogEnd end;
  end.bytes = text.rfind('\n') + 1;  // 0 where there is none
  if (end.bytes > 0) {
    const std::string_view lines = text.substr(0, end.bytes - 1);
    end.id = id_in(lines.substr(lines.rfind('\n') + 1), store.subject(), path);
  }
  const std::string_view rest = text.substr(end.bytes);
  end.cut_off = rest.size();
  if (rest.empty()) return end;
  std::string next;
  store.for_answers(end.id, [&](const AnswerRecord& answer) {
    if (!next.empty()) return;
    next = answer_line(answer, store.subject(), name(static_cast<size_t>(answer.entry.row)));
  });
  if (!next.starts_with(rest)) {
    fail(
        "{}: expected the answers of this review, found something else at its end ({} bytes "
        "without a line's end); choose another file",
        path.string(), rest.size());
  }
  return end;
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
  open(file);
  try {
    const LogEnd end = find_end(file, store, name_);
    size_ = end.bytes;
    cut_off_ = end.cut_off;
    store_.on_answer([this](const AnswerRecord& answer) { return write(answer); }, end.id);
    if (cut_off_ > 0 && ::ftruncate(fd_, static_cast<off_t>(size_)) != 0) {
      fail("{}: cannot write the log: {}", file.string(), std::strerror(errno));
    }
    if (const std::string text = problem(); !text.empty()) fail("{}", text);
  } catch (...) {
    store_.on_answer({}, 0);
    ::close(fd_);
    throw;
  }
}

AnswerLog::~AnswerLog() {
  store_.catch_up();
  store_.on_answer({}, 0);
  ::close(fd_);
}

// Opens a file for appending without following links or blocking on pipes.
void AnswerLog::open(const Path& path) {
  const int flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  fd_ = ::open(path.c_str(), flags, 0666);
  if (fd_ < 0) fail("{}: cannot write the log: {}", path.string(), std::strerror(errno));
  struct stat info;
  if (::fstat(fd_, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd_);
    fail("{}: expected a regular file for the log", path.string());
  }
  device_ = info.st_dev;
  inode_ = info.st_ino;
}

// Text written to a file that was removed or replaced is lost.
void AnswerLog::check_place() const {
  struct stat info;
  if (::lstat(path_.c_str(), &info) == 0 && info.st_dev == device_ && info.st_ino == inode_) return;
  fail("{}: the log was removed or replaced; put it back, or start again", path_.string());
}

std::string AnswerLog::problem() {
  const bool whole = store_.catch_up();
  const std::lock_guard lock(mutex_);
  if (whole) problem_.clear();
  if (!whole && problem_.empty()) problem_ = fmt::format("{}: answers are missing", path_.string());
  return problem_;
}

void AnswerLog::set_problem(const std::string& text) {
  const std::lock_guard lock(mutex_);
  problem_ = text;
}

bool AnswerLog::append(const std::string& line) {
  for (size_t done = 0; done < line.size();) {
    const ssize_t n = ::write(fd_, line.data() + done, line.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<size_t>(n);
  }
  return true;
}

// Writes the whole line or nothing: what a full disk accepted of it is cut off before the next try.
bool AnswerLog::write(const AnswerRecord& answer) try {
  check_place();
  struct stat info;
  if (::fstat(fd_, &info) != 0 || static_cast<uint64_t>(info.st_size) < size_) {
    fail("{}: the log was cut short by another program; start again", path_.string());
  }
  const std::string line =
      answer_line(answer, store_.subject(), name_(static_cast<size_t>(answer.entry.row)));
  if (!append(line)) {
    const int reason = errno;
    if (::ftruncate(fd_, static_cast<off_t>(size_)) != 0) {
      fail("{}: half a line could not be taken back: {}", path_.string(), std::strerror(errno));
    }
    fail("{}: answers are saved in the review but not in the log: {}", path_.string(),
         std::strerror(reason));
  }
  size_ += line.size();
  return true;
} catch (const std::exception& error) {
  set_problem(error.what());
  return false;
}

}  // namespace spml::review
