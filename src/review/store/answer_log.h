// --log FILE.jsonl: every answer as a line of text, for people and programs without SQLite.
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "review/store/store.h"

namespace spml::review {

// {"id", "time", "reviewer", "row", "image", "class", "answer", "score", "run", "undo"}
std::string answer_line(const AnswerRecord& answer, const Subject& subject,
                        const std::string& image);

class AnswerLog {
 public:
  using NameOfRow = std::function<std::string(size_t row)>;

  // Adds the store's answers that the file lacks, and from then on every new one. Error when the
  // file is not a log of this review or cannot be written.
  AnswerLog(const Path& file, Store& store, NameOfRow name);
  AnswerLog(const AnswerLog&) = delete;
  AnswerLog& operator=(const AnswerLog&) = delete;
  ~AnswerLog();

  // Bytes of an incomplete last line, left by a kill, that were removed.
  size_t cut_off() const { return cut_off_; }
  // Why answers are missing from the file at the moment; "" when none are. They are in the store
  // and are added as soon as possible, before the next answer or here.
  std::string problem();

 private:
  bool write(const AnswerRecord& answer);  // all of it, or false and none of it
  bool append(const std::string& line);
  void open(const Path& path);
  void check_place() const;
  void set_problem(const std::string& text);

  Path path_;
  Store& store_;
  NameOfRow name_;
  int fd_ = -1;
  uint64_t device_ = 0, inode_ = 0;
  uint64_t size_ = 0;  // of the complete lines
  size_t cut_off_ = 0;
  std::mutex mutex_;
  std::string problem_;
};

}  // namespace spml::review
