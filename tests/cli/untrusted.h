// What the tests of untrusted files share: the limit, and files that are not what they seem.
#pragma once

#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/folders.h"
#include "formats/npy.h"
#include "training.h"

namespace spml {

inline void write_text(const Path& path, const std::string& text) {
  make_folder(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

// A file of the right length, with nothing on disk but its header and what `text` says.
inline void write_sparse_npy(const Path& path, DType dtype, size_t item_size,
                             std::vector<size_t> shape) {
  const std::string header = make_npy_header(dtype, item_size, shape);
  write_text(path, header);
  size_t bytes = item_size;
  for (const size_t dim : shape) bytes *= dim;
  std::filesystem::resize_file(path, header.size() + bytes);
}

// The program inherits the limit of whoever starts it.
class Untrusted : public testing::Test {
 protected:
  Untrusted() {
    ::getrlimit(RLIMIT_AS, &before_);
#ifndef __SANITIZE_ADDRESS__
    rlimit limit = before_;
    limit.rlim_cur = rlim_t{4'000'000} * 1024;
    ::setrlimit(RLIMIT_AS, &limit);
#endif
  }
  void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "AddressSanitizer itself needs more address space than the limit allows";
#endif
  }
  ~Untrusted() override { ::setrlimit(RLIMIT_AS, &before_); }

  std::string data() { return make_data(folder_ / "data"); }
  std::string finished_run() {
    const std::string run = folder_ / "run";
    expect_success({"train", data(), "--loss", "an", "--epochs", "1", "--quiet", "--out", run});
    return run;
  }

  TemporaryFolder folder_;
  rlimit before_;
};

}  // namespace spml
