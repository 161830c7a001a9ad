// What the tests of training share: a small data folder, and runs compared by their bytes.
#pragma once

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "run_program.h"
#include "testing.h"

namespace spml {

using Words = std::vector<std::string>;

inline Words operator+(Words left, const Words& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

inline Ran expect_success(const Words& words) {
  Ran ran = run_program(words);
  EXPECT_EQ(ran.exit_code, 0) << testing::PrintToString(words) << ran.err;
  return ran;
}

// One line on stderr that contains `why`, nothing on stdout.
inline void expect_failure(const Words& words, int code, const std::string& why) {
  const Ran ran = run_program(words);
  EXPECT_EQ(ran.exit_code, code) << testing::PrintToString(words) << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err,
              testing::AllOf(testing::StartsWith("spml: error: "), testing::HasSubstr(why)));
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
}

struct Shape {
  size_t rows = 150, labels = 6, features = 12;
};

inline std::string make_data(const Path& path, const Shape& shape = {}) {
  expect_success({"synth", "--out", path, "--rows", std::to_string(shape.rows), "--labels",
                  std::to_string(shape.labels), "--features", std::to_string(shape.features)});
  return path;
}

inline nlohmann::json read_json(const Path& path) { return nlohmann::json::parse(read_file(path)); }

inline std::vector<nlohmann::json> read_lines(const Path& path) {
  std::vector<nlohmann::json> lines;
  std::istringstream in(read_file(path));
  for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

inline std::set<std::string> keys(const nlohmann::json& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.items()) names.insert(name);
  return names;
}

// What may differ between two runs that are to give the same.
inline nlohmann::json without_times(nlohmann::json json) {
  for (const char* name : {"seconds", "train_seconds", "resumed_from_step"}) json.erase(name);
  return json;
}

inline void expect_same_bytes(const Path& a, const Path& b) {
  ASSERT_EQ(std::filesystem::exists(a), std::filesystem::exists(b)) << a << " " << b;
  if (std::filesystem::exists(a)) {
    EXPECT_TRUE(read_file(a) == read_file(b)) << a << " and " << b << " differ";
  }
}

inline void expect_same_run(const Path& a, const Path& b) {
  for (const char* name : {"model.safetensors", "calibration.json", "thresholds.npy",
                           "estimates.npy", "estimator.safetensors", "train_rows.npy"}) {
    expect_same_bytes(a / name, b / name);
  }
  EXPECT_EQ(without_times(read_json(a / "result.json")),
            without_times(read_json(b / "result.json")));
  const auto left = read_lines(a / "metrics.jsonl"), right = read_lines(b / "metrics.jsonl");
  ASSERT_EQ(left.size(), right.size());
  for (size_t i = 0; i < left.size(); ++i) {
    EXPECT_EQ(without_times(left[i]), without_times(right[i]));
  }
}

// A finished run: its files and nothing else. `estimates` is the file they are in, if any.
inline void expect_finished(const Path& run, const std::string& estimates = "") {
  std::set<std::string> expected = {".lock",         "config.json",      "metrics.jsonl",
                                    "result.json",   "calibration.json", "model.safetensors",
                                    "thresholds.npy"};
  if (!estimates.empty()) expected.insert({estimates, "train_rows.npy"});
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(run)) {
    found.insert(entry.path().filename());
  }
  EXPECT_EQ(found, expected);
}

}  // namespace spml
