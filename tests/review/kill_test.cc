// The built program, killed again and again while it takes answers: whatever it called saved is
// there, and nothing is there twice.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <thread>

#include "raw_client.h"
#include "toy_review.h"

namespace spml::review {
namespace {

using Json = nlohmann::json;

// `spml review` in a process of its own.
class Program {
 public:
  explicit Program(const std::vector<std::string>& arguments) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::close(ends[0]);
      ::close(ends[1]);
      std::vector<char*> words;
      for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
      words.push_back(nullptr);
      ::execv(words[0], words.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    std::string text;
    char c = 0;
    Json json;
    // The JSON object it prints when it is ready; nothing when it ended before.
    while (!json.is_object() && ::read(ends[0], &c, 1) == 1) {
      text += c;
      if (c == '}') json = Json::parse(text, nullptr, false);
    }
    ::close(ends[0]);
    if (!json.is_object()) return;
    port_ = json["port"];
    const std::string address = json["address"];
    key_ = address.substr(address.find('=') + 1);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { kill(); }

  uint16_t port() const { return port_; }  // 0 when it did not start
  const std::string& key() const { return key_; }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
  uint16_t port_ = 0;
  std::string key_;
};

// Posts the answer of one entry; whether the server called it saved.
bool post_answer(uint16_t port, const std::string& key, Entry entry) {
  const Json body = {
      {"action", fmt::format("{}/{}", entry.row, entry.label)},
      {"answers", {{{"row", entry.row}, {"label", entry.label}, {"answer", "yes"}}}}};
  const std::string host = fmt::format("127.0.0.1:{}", port);
  const std::string headers = fmt::format(
      "Spml-Key: {}\r\nOrigin: http://{}\r\nContent-Type: application/json\r\n", key, host);
  const RawAnswer answer =
      ask(port, request_text("POST", "/api/answers", host, headers, body.dump()));
  return answer.status == 200 && answer.body.find("\"saved\":true") != std::string::npos;
}

int kill_count() {
  const char* text = std::getenv("SPML_KILLS");
  return text != nullptr ? std::atoi(text) : 25;
}

TEST(Kill, LosesNoSavedAnswerAndRepeatsNone) {
  const int wanted = kill_count();
  // Enough entries to answer until the last kill.
  const ToyReview toy(200 + 4 * static_cast<size_t>(wanted));
  std::vector<Entry> entries;
  {
    const auto review = toy.open();
    Listing listing;
    listing.limit = 20 * static_cast<size_t>(wanted) + 500;
    for (const Listed& listed : review->store().list(listing)) entries.push_back(listed.entry);
  }
  std::mt19937 random(3);
  std::set<Entry> saved;
  size_t next = 0, unsure_of = 0;
  int kills = 0;
  for (; kills < wanted; ++kills) {
    Program program({program_path(), "review", toy.out().string(), "--json", "--no-browser"});
    ASSERT_NE(program.port(), 0) << "the server did not start after kill " << kills;
    // Killed by another thread at some moment, so that an answer may be half done.
    const auto delay = std::chrono::microseconds(random() % 50'000);
    std::thread killer([&program, delay] {
      std::this_thread::sleep_for(delay);
      ::kill(program.pid(), SIGKILL);
    });
    // The one that fails is sent again after the restart, as the page does.
    while (next < entries.size() && post_answer(program.port(), program.key(), entries[next])) {
      saved.insert(entries[next++]);
    }
    ++unsure_of;
    killer.join();
    program.kill();
    const auto store = Store::open_read_only(database_file(toy.out()));
    std::map<Entry, int> times;
    store->for_answers(0, [&](const AnswerRecord& record) { ++times[record.entry]; });
    for (const Entry& entry : saved) ASSERT_EQ(times[entry], 1) << "after kill " << kills;
    for (const auto& [entry, count] : times) ASSERT_EQ(count, 1) << "after kill " << kills;
  }
  RecordProperty("kills", kills);
  RecordProperty("saved", static_cast<int>(saved.size()));
  fmt::print("{} kills, {} answers saved, {} cut short\n", kills, saved.size(), unsure_of);
  EXPECT_GT(saved.size(), 0u);
}

}  // namespace
}  // namespace spml::review
