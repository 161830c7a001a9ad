// What several tests need: the shared data beside the checkout, and a folder of one's own.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/files.h"
#include "paths.h"
#include "spml/error.h"

namespace spml {

// Skips a test whose data is not part of a user's clone.
#define SPML_NEED_SHARED(path)                                                               \
  if (!std::filesystem::exists(path)) {                                                      \
    GTEST_SKIP() << (path).string() << " is not here: this test needs the project's shared " \
                 << "reference data beside the checkout";                                    \
  }

// A new empty folder, removed at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "spml-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const Path& path() const { return path_; }
  Path operator/(const std::string& name) const { return path_ / name; }

 private:
  Path path_;
};

// Expects `statement` to throw spml::Error whose message matches (a gmock string matcher).
#define EXPECT_SPML_ERROR(statement, matcher)          \
  try {                                                \
    statement;                                         \
    ADD_FAILURE() << "expected an spml::Error";        \
  } catch (const spml::Error& error) {                 \
    EXPECT_THAT(std::string(error.what()), (matcher)); \
  }

}  // namespace spml
