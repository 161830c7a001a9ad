// Runs the built program as a user would.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace spml {

struct Ran {
  int exit_code = -1;  // 128 + signal when it was killed by one
  std::string out, err;
  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

// spml with these arguments, without a shell and without standard input.
Ran run_program(const std::vector<std::string>& arguments);
Ran run_program(const std::string& words);  // arguments separated by single spaces

}  // namespace spml
