// The built program where something is in its way: keys that it cannot save, labels that are more
// than its memory.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/folders.h"
#include "base/process.h"
#include "raw_client.h"
#include "review/http/guard.h"
#include "review/http/server.h"
#include "toy_review.h"

namespace spml::review {
namespace {

using testing::HasSubstr;

// One that is free, and that the system gives to nobody who connects.
uint16_t free_port() {
  for (uint16_t port = 21'000;; ++port) {
    try {
      ServerOptions options;
      options.port = port;
      return Server(options, [](const Request&) { return plain(200, ""); }).port();
    } catch (const Error&) {
      EXPECT_LT(port, 22'000);
    }
  }
}

// The page of last time asks all the while. The server waited for its request, and the request for
// the server to be ready.
TEST(Start, ThatFailsWhileAPageAsksEnds) {
  const ToyReview toy;
  toy.open();
  const uint16_t port = free_port();
  save_port(session_file(toy.out()), port);
  std::filesystem::create_directories(toy.out() / "session.json.new" / "in the way");
  std::atomic<bool> done = false;
  std::vector<std::thread> pages;
  for (int i = 0; i < 4; ++i) {
    pages.emplace_back([&] {
      while (!done) {
        ask(port, request_text("GET", "/api/review", "localhost"));
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    });
  }
  for (int i = 0; i < 10; ++i) {
    const ProcessResult ran = run_process(
        {"timeout", "20", program_path(), "review", toy.out().string(), "--no-browser", "--quiet"},
        toy.out());
    EXPECT_EQ(ran.exit_code, 1) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("session.json: cannot write"));
  }
  done = true;
  for (std::thread& page : pages) page.join();
}

// The most memory that the program had, in bytes.
size_t peak_of(const std::vector<std::string>& arguments) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    std::vector<char*> words;
    for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execv(words[0], words.data());
    ::_exit(127);
  }
  int status = 0;
  rusage usage{};
  EXPECT_EQ(::wait4(pid, &status, 0, &usage), pid);
  EXPECT_EQ(status, 0);
  return static_cast<size_t>(usage.ru_maxrss) << 10;
}

// 120,000 labels whose lines are 1.3 KB each.
TEST(Export, NeedsLittleMemoryHoweverLongTheNames) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's own memory would be measured";
#endif
  constexpr size_t kRows = 400, kLabels = 300, kBound = size_t{48} << 20;
  const TemporaryFolder folder;
  const Path data = folder / "data", review = folder / "review";
  make_folder(data);
  make_folder(review);
  DatasetInfo info;
  std::vector<std::string> images;
  for (size_t j = 0; j < kLabels; ++j) {
    info.classes.push_back(fmt::format("{:04}", j) + std::string(200, 'x'));
  }
  for (size_t i = 0; i < kRows; ++i) {
    images.push_back(fmt::format("{:04}", i) + std::string(900, 'y'));
  }
  write_file(data / "dataset.json", to_json(info));
  write_npy(images_file(data, "train"), std::span<const std::string>(images));
  const LabelMatrix all(std::vector<int8_t>(kRows * kLabels, 1), kRows, kLabels);
  write_labels(observed_file(data, "train"), all);
  write_labels(observed_copy(review), all);
  Store::create(database_file(review), {"id", data.string(), "f00d", "wide", kRows, info.classes});
  for (const std::string format : {"csv", "jsonl", "coco", "voc", "label-studio"}) {
    EXPECT_LT(peak_of({program_path(), "review", review.string(), "--export", folder / "out",
                       "--format", format, "--quiet"}),
              kBound)
        << format;
    std::filesystem::remove_all(folder / "out");
  }
}

}  // namespace
}  // namespace spml::review
