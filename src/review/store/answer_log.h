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

  // Adds to the file what it lacks of the store's answers, and from then on every new one. Error
  // when the file is not a log of this review, or cannot be written.
  AnswerLog(const Path& file, Store& store, NameOfRow name);
  AnswerLog(const AnswerLog&) = delete;
  AnswerLog& operator=(const AnswerLog&) = delete;
  ~AnswerLog();

  // Bytes of a line cut short, as a kill leaves it, that were taken off the end of the file.
  size_t cut_off() const { return cut_off_; }
  // Why answers are missing in the file just now; "" when none are. They are in the store, and are
  // added before the next answer, or here, as soon as they can be.
  std::string problem();

 private:
  bool write(const AnswerRecord& answer);  // false: not written, none of it
  bool append(const std::string& line);
  void open(const Path& path);
  void check_place() const;
  void set_problem(const std::string& text);

  Path path_;
  Store& store_;
  NameOfRow name_;
  int fd_ = -1;
  uint64_t device_ = 0, inode_ = 0;
  uint64_t size_ = 0;  // of the whole lines in it
  size_t cut_off_ = 0;
  std::mutex mutex_;
  std::string problem_;
};

}  // namespace spml::review
