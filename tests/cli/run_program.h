// Runs the built program as a user would.
#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "testing.h"

namespace spml {

struct Ran {
  int exit_code = -1;  // 128 + signal when it was killed by one
  std::string out, err;
  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

// The program at work, in a process of its own.
class Running {
 public:
  explicit Running(const std::vector<std::string>& arguments);
  // Another program, found by its path.
  Running(const std::string& program, const std::vector<std::string>& arguments);
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running();  // kills it unless it was waited for

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  bool ended();  // without waiting
  Ran wait();

 private:
  TemporaryFolder folder_;
  pid_t pid_ = 0;
  int status_ = 0;
  bool ended_ = false;
};

// spml with these arguments, without a shell and without standard input.
Ran run_program(const std::vector<std::string>& arguments);
Ran run_program(const std::string& words);  // arguments separated by single spaces

}  // namespace spml
