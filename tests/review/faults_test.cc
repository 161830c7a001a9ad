// A disk that is full, a database that somebody holds, files that are removed or exchanged under
// the server: what was called saved is there afterwards, and what was not is kept by the page.
#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/folders.h"
#include "review/http/api.h"
#include "toy_review.h"

namespace spml::review {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

// Files of this process grow no more while it lives.
class FullDisk {
 public:
  explicit FullDisk(const Path& file) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    old_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit now{std::filesystem::file_size(file) + 20, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, old_);
  }

 private:
  rlimit before_{};
  void (*old_)(int);
};

struct Faults : testing::Test {
  ToyReview toy;
  std::unique_ptr<Review> review = toy.open();
  std::vector<Entry> entries = entries_of(*review);

  static std::vector<Entry> entries_of(Review& review) {
    std::vector<Entry> found;
    Listing listing;
    listing.limit = 100;
    for (const Listed& listed : review.store().list(listing)) found.push_back(listed.entry);
    return found;
  }
  Response post(size_t i) {
    Api api(*review);
    Request request;
    request.method = "POST";
    request.path = "/api/answers";
    request.body =
        Json({{"action", fmt::format("k{}", i)},
              {"answers",
               {{{"row", entries[i].row}, {"label", entries[i].label}, {"answer", "yes"}}}}})
            .dump();
    return api.handle(request);
  }
  size_t saved() { return Store::open_read_only(database_file(toy.out()))->answered().size(); }
};

TEST_F(Faults, AFileThatCannotGrowIsNoRefusalAndTheAnswerCanBeSentAgain) {
  EXPECT_EQ(post(0).status, 200);
  {
    const FullDisk full(database_file(toy.out()).string() + "-wal");
    for (size_t i = 1; i < 4; ++i) {
      const Response response = post(i);
      EXPECT_EQ(response.status, 503) << response.body;
      EXPECT_THAT(response.body, HasSubstr("cannot be read or written"));
    }
  }
  EXPECT_EQ(saved(), 1u);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(post(i).status, 200);
  review.reset();
  EXPECT_EQ(saved(), 4u);
}

// A file system of its own, with little room.
class SmallDisk {
 public:
  explicit SmallDisk(const Path& place) : place_(place) {
    make_folder(place);
    mounted_ = ::mount("none", place.c_str(), "tmpfs", 0, "size=4m") == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) ::umount2(place_.c_str(), MNT_DETACH);
  }
  bool mounted() const { return mounted_; }
  void fill() const {
    std::ofstream filler(place_ / "filler");
    while (filler << std::string(512, 'x') << std::flush) {
    }
  }
  void make_room() const { std::filesystem::remove(place_ / "filler"); }

 private:
  Path place_;
  bool mounted_ = false;
};

TEST_F(Faults, AFullDiskIsNoRefusalAndTheAnswerCanBeSentAgain) {
  const SmallDisk disk(toy / "disk");
  if (!disk.mounted()) GTEST_SKIP() << "may not mount a file system";
  ReviewOptions options = toy.options();
  options.out = toy / "disk" / "review";
  options.log = toy / "disk" / "log.jsonl";
  review = std::make_unique<Review>(options);
  disk.fill();
  size_t sent = 0, kept = 0;
  // Room that the files have already is used up first.
  for (; sent < 100 && kept < 5; ++sent) {
    const Response response = post(sent);
    if (response.status == 200) continue;
    EXPECT_EQ(response.status, 507) << response.body;
    EXPECT_THAT(response.body, HasSubstr("the disk is full; nothing was saved"));
    ++kept;
  }
  EXPECT_EQ(kept, 5u);
  EXPECT_EQ(Store::open_read_only(database_file(options.out))->answered().size(), sent - kept);
  disk.make_room();
  for (size_t i = 0; i < sent; ++i) EXPECT_EQ(post(i).status, 200);
  EXPECT_EQ(review->log_problem(), "");
  review.reset();
  EXPECT_EQ(Store::open_read_only(database_file(options.out))->answered().size(), sent);
  const std::string log = read_file(options.log);
  EXPECT_EQ(static_cast<size_t>(std::count(log.begin(), log.end(), '\n')), sent);
}

TEST_F(Faults, ADatabaseThatAnotherProgramHoldsIsNoRefusal) {
  {
    Database other(database_file(toy.out()), Database::Access::kReadWrite);
    other.execute("BEGIN EXCLUSIVE");
    const Response response = post(0);
    EXPECT_EQ(response.status, 503);
    EXPECT_THAT(response.body, HasSubstr("another program holds the file"));
    other.execute("ROLLBACK");
  }
  EXPECT_EQ(post(0).status, 200);
  EXPECT_EQ(saved(), 1u);
}

TEST_F(Faults, OnlyWhatIsNotThereIsRefused) {
  const auto status = [&](Json answer, Json sample) {
    Api api(*review);
    Request request;
    request.method = "POST";
    request.path = "/api/answers";
    request.body =
        Json({{"action", "k"}, {"answers", {std::move(answer)}}, {"sample", std::move(sample)}})
            .dump();
    return api.handle(request).status;
  };
  const Json good = {{"row", entries[0].row}, {"label", entries[0].label}, {"answer", "no"}};
  EXPECT_EQ(status({{"row", 99999}, {"label", 0}, {"answer", "no"}}, nullptr), 409);
  EXPECT_EQ(status(good, 7), 409);  // no such sample
  EXPECT_EQ(status(good, nullptr), 200);
  EXPECT_EQ(saved(), 1u);
}

TEST_F(Faults, NothingIsSavedIntoADatabaseThatWasRemoved) {
  EXPECT_EQ(post(0).status, 200);
  const Path file = database_file(toy.out());
  for (const std::string end : {"", "-wal"}) {
    const Path part = file.string() + end, aside = toy / "aside";
    std::filesystem::rename(part, aside);
    const Response response = post(1);
    EXPECT_EQ(response.status, 503) << response.body;
    EXPECT_THAT(response.body, HasSubstr("removed or replaced"));
    EXPECT_EQ(post(0).status, 503);  // saved before, but it is not there
    write_file(part, "another");
    EXPECT_EQ(post(1).status, 503);
    std::filesystem::rename(aside, part);
  }
  EXPECT_EQ(post(0).status, 200);
  EXPECT_EQ(post(1).status, 200);
  EXPECT_EQ(saved(), 2u);
}

// Gone for good, it takes nothing along that was called saved.
TEST_F(Faults, WhatARemovedDatabaseHeldIsRescued) {
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(post(i).status, 200);
  const Path file = database_file(toy.out());
  for (const char* end : {"", "-wal", "-shm"}) remove_file(file.string() + end);
  const std::string said = post(3).body;
  EXPECT_EQ(post(3).body, said);  // one copy, not one for each try
  const size_t name = said.find("review.db.rescued-");
  ASSERT_NE(name, std::string::npos) << said;
  const Path copy = toy.out() / said.substr(name, said.find(':', name) - name);
  struct stat info {};
  ASSERT_EQ(::stat(copy.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  review.reset();
  std::filesystem::rename(copy, file);
  review = toy.open();
  EXPECT_EQ(post(3).status, 200);
  EXPECT_EQ(saved(), 4u);
}

// SQLite removes the log beside the name when it closes, whoever's it is by then.
TEST_F(Faults, TheFilesPutInItsPlaceStay) {
  const Path file = database_file(toy.out()), log = file.string() + "-wal";
  post(0);
  std::filesystem::rename(file, toy / "aside");
  std::filesystem::rename(log, toy / "aside-wal");
  write_file(file, "another");
  write_file(log, "its log");
  review.reset();
  EXPECT_EQ(read_file(file), "another");
  EXPECT_EQ(read_file(log), "its log");
}

TEST_F(Faults, AnswersAreForTheUserAlone) {
  post(0);
  for (const char* end : {"", "-wal", "-shm"}) {
    struct stat info {};
    ASSERT_EQ(::stat((database_file(toy.out()).string() + end).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U) << end;
  }
}

TEST_F(Faults, DataThatWasExchangedIsNotTrainedOn) {
  post(0);
  const ToyReview other(ToyReview::kRows + 20);
  std::filesystem::rename(toy.data(), toy / "aside");
  std::filesystem::rename(other.data(), toy.data());
  ASSERT_TRUE(review->retrain());
  while (review->retrain_status().running) std::this_thread::yield();
  EXPECT_THAT(review->retrain_status().error, HasSubstr("expected the data that the review began"));
  EXPECT_EQ(review->store().current_run()->id, 1);
}

struct LogFaults : Faults {
  Path log = toy / "log.jsonl";

  void open() {
    review.reset();
    ReviewOptions options = toy.options();
    options.log = log;
    review = std::make_unique<Review>(options);
  }
  // The numbers of the answers in the log.
  std::vector<int> logged() {
    std::vector<int> ids;
    std::istringstream lines(read_file(log));
    for (std::string line; std::getline(lines, line);) ids.push_back(Json::parse(line)["id"]);
    return ids;
  }
};

TEST_F(LogFaults, AFullDiskLeavesNoHoleInTheLog) {
  open();
  // Long names, so that the log is full before the database is.
  for (size_t i = 0; i < 60; ++i) EXPECT_EQ(post(i).status, 200);
  EXPECT_EQ(review->log_problem(), "");
  const Path database = database_file(toy.out());
  {
    // The log stands on another disk, so to say: it is longer than the database's files may become.
    review.reset();
    write_file(log, std::string(std::filesystem::file_size(database) + (1 << 20), ' ') + "\n" +
                        read_file(log));
    open();
    const FullDisk full(log);
    EXPECT_EQ(post(60).status, 200);
    EXPECT_EQ(post(61).status, 200);
    EXPECT_THAT(review->log_problem(), HasSubstr("not in the log: File too large"));
    EXPECT_THAT(read_file(log), testing::EndsWith("}\n"));  // no half a line
  }
  EXPECT_EQ(post(62).status, 200);
  EXPECT_EQ(review->log_problem(), "");
  const std::string text = read_file(log);
  write_file(toy / "lines", text.substr(text.find('{')));
  log = toy / "lines";
  std::vector<int> expected(63);
  std::iota(expected.begin(), expected.end(), 1);
  EXPECT_EQ(logged(), expected);
}

TEST_F(LogFaults, AUsersOwnFileIsNeverEmptied) {
  post(0);
  const std::string line = "{\"id\":1,\"review\":\"" + review->store().subject().id + "\"";
  for (const std::string& own :
       {std::string("{\"id\": 7, \"note\": \"mine\"}"), std::string("{\"id\":1,\"note\":\"mine\"}"),
        line + ",\"mine\":true}", std::string(100, '\0')}) {
    write_file(log, own);
    EXPECT_SPML_ERROR(open(), HasSubstr("something else"));
    EXPECT_EQ(read_file(log), own);
  }
}

TEST_F(LogFaults, ALineCutShortIsTakenOffAndWrittenAgain) {
  open();
  post(0);
  post(1);
  review.reset();
  const std::string whole = read_file(log);
  for (const size_t bytes : {size_t{1}, whole.find('\n') - 3, whole.find('\n') + 9}) {
    write_file(log, whole.substr(0, bytes));
    open();
    EXPECT_THAT(review->notices(), testing::Contains(HasSubstr("cut short")));
    EXPECT_EQ(read_file(log), whole);
  }
}

TEST_F(LogFaults, ALogThatWasRemovedIsMissed) {
  open();
  std::filesystem::rename(log, toy / "aside");
  EXPECT_EQ(post(0).status, 200);
  EXPECT_THAT(review->log_problem(), HasSubstr("removed or replaced"));
  std::filesystem::rename(toy / "aside", log);
  EXPECT_EQ(review->log_problem(), "");
  EXPECT_EQ(logged(), std::vector<int>{1});
}

}  // namespace
}  // namespace spml::review
