// --log FILE.jsonl: every answer as a line of text, for people and programs without SQLite.
#pragma once

#include <cstdio>
#include <memory>

#include "review/store/store.h"

namespace spml::review {

// {"id", "time", "reviewer", "row", "image", "class", "answer", "score", "run", "undo"}
std::string answer_line(const AnswerRecord& answer, const Subject& subject,
                        const std::string& image);

class AnswerLog {
 public:
  using NameOfRow = std::function<std::string(size_t row)>;

  // Adds to the file what it lacks of the store's answers, and from then on every new one. Error
  // when the file is not a log of this review.
  AnswerLog(const Path& file, Store& store, NameOfRow name);
  AnswerLog(const AnswerLog&) = delete;
  AnswerLog& operator=(const AnswerLog&) = delete;
  ~AnswerLog();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void write(const AnswerRecord& answer);

  Path path_;
  Store& store_;
  NameOfRow name_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace spml::review
