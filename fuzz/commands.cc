// fuzz_commands PROGRAM SECONDS [SEED]: runs the whole program on folders that were damaged at
// random, with its address space limited to 4 GB; where this was built with AddressSanitizer, which
// needs more than that, so should the program be, and its reports are findings. Whatever a file
// holds, a command ends with exit code 0, 1 or 2; a failure is one line on stderr, nothing it
// prints can command a terminal, and no file outside its output is touched. What breaks that is
// kept in commands-findings/.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <thread>

#include "base/files.h"
#include "base/folders.h"
#include "command_seeds.h"

extern char** environ;

namespace spml {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr rlim_t kAddressSpace = rlim_t{4'000'000} * 1024;
constexpr int kSecondsPerCommand = 60;                 // of the processor
constexpr int kSecondsOfWaiting = 60;                  // by the clock, without using the processor
constexpr uintmax_t kMostBytes = uintmax_t{64} << 20;  // of a file that is damaged further

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(engine_); }
  bool chance(size_t n) { return below(n) == 0; }
  template <class T>
  const T& of(const std::vector<T>& items) {
    return items[below(items.size())];
  }

 private:
  std::mt19937_64 engine_;
};

struct Ran {
  int code = -1;  // 128 + signal
  bool timed_out = false;
  long peak_kb = 0;
  std::string out, err;
};

std::string slurp(const Path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Processor time that a running process has used.
double processor_seconds(pid_t process) {
  const std::string stat = slurp(Path("/proc") / std::to_string(process) / "stat");
  std::istringstream fields(stat.substr(std::min(stat.rfind(')'), stat.size() - 1) + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

Ran run(const std::vector<std::string>& words, const Path& folder) {
  const std::string out = folder / "stdout", err = folder / "stderr";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  Ran ran;
  if (::posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ) != 0) return ran;
  posix_spawn_file_actions_destroy(&actions);
  auto deadline = Clock::now() + std::chrono::seconds(kSecondsOfWaiting);
  double seconds = 0;
  int status = 0;
  rusage used{};
  for (auto pause = std::chrono::microseconds(200); ::wait4(child, &status, WNOHANG, &used) == 0;) {
    const double now_used = processor_seconds(child);
    if (now_used > seconds) deadline = Clock::now() + std::chrono::seconds(kSecondsOfWaiting);
    seconds = now_used;
    if (seconds > kSecondsPerCommand || Clock::now() > deadline) {
      ran.timed_out = true;
      ::kill(child, SIGKILL);
      ::wait4(child, &status, 0, &used);
      break;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(5000));
  }
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ran.peak_kb = used.ru_maxrss;
  ran.out = slurp(out);
  ran.err = slurp(err);
  return ran;
}

// Why the outcome is a finding; "" when it is as promised.
std::string complaint(const Ran& ran) {
  if (ran.timed_out) return "took too long";
  if (ran.code != 0 && ran.code != 1 && ran.code != 2)
    return "exit code " + std::to_string(ran.code);
  for (const std::string* text : {&ran.out, &ran.err}) {
    for (size_t i = 0; i < text->size(); ++i) {
      const auto c = static_cast<unsigned char>((*text)[i]);
      const bool c1 =
          c == 0xc2 && i + 1 < text->size() && static_cast<unsigned char>((*text)[i + 1]) < 0xa0;
      if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f || c1) return "a control character";
    }
  }
  size_t errors = 0;
  for (size_t begin = 0; begin < ran.err.size();) {
    const size_t end = std::min(ran.err.find('\n', begin), ran.err.size());
    const std::string line = ran.err.substr(begin, end - begin);
    errors += line.starts_with("spml: error: ");
    if (!line.starts_with("spml: ")) return "a stray line on stderr: " + line.substr(0, 200);
    begin = end + 1;
  }
  if (ran.code != 0 && errors != 1) return std::to_string(errors) + " error lines";
  for (const char* foreign : {"std::", "filesystem error", "json.exception"}) {
    if (ran.err.find(foreign) != std::string::npos) return "a foreign exception";
  }
  return "";
}

// Numbers that break things, in place of one that is there.
const std::vector<std::string> kNumbers = {"0",          "-1",
                                           "1",          "2",
                                           "255",        "65535",
                                           "65536",      "1e9",
                                           "1e308",      "NaN",
                                           "4294967295", "4294967296",
                                           "40000000",   "9223372036854775807",
                                           "1e-9",       "3.5",
                                           "99999",      "-0",
                                           "2147483648", "18446744073709551615"};
const std::vector<std::string> kTexts = {"\x1b[2J\x1b]0;x\x07",
                                         "\xc2\x9b"
                                         "2J",
                                         "=1+1",
                                         "../../../etc/passwd",
                                         "/etc/passwd",
                                         "\xff\xfe",
                                         std::string(300, 'n'),
                                         "\r\n",
                                         "null",
                                         "{}",
                                         "[]",
                                         "\"\"",
                                         std::string(3000, '['),
                                         std::string("\0", 1)};

std::string mutate_bytes(std::string bytes, Random& random) {
  const auto somewhere = [&] { return bytes.empty() ? 0 : random.below(bytes.size()); };
  switch (random.below(9)) {
    case 0:
      if (!bytes.empty()) bytes[somewhere()] = static_cast<char>(random.below(256));
      return bytes;
    case 1:
      return bytes.substr(0, somewhere());
    case 2:
      return bytes.erase(somewhere(), 1 + random.below(64));
    case 3:
      return bytes.insert(somewhere(), bytes.substr(somewhere(), 1 + random.below(256)));
    case 4:
    case 5:
    case 6: {  // a number
      size_t begin = bytes.find_first_of("0123456789", somewhere());
      if (begin == std::string::npos) begin = bytes.find_first_of("0123456789");
      if (begin == std::string::npos) return bytes;
      const size_t end = std::min(bytes.find_first_not_of("0123456789.", begin), bytes.size());
      return bytes.replace(begin, end - begin, random.of(kNumbers));
    }
    case 7: {  // a text in quotes
      const size_t begin = bytes.find('"', somewhere());
      if (begin == std::string::npos) return bytes.insert(somewhere(), random.of(kTexts));
      const size_t end = std::min(bytes.find('"', begin + 1), bytes.size());
      return bytes.replace(begin + 1, end - begin - 1, random.of(kTexts));
    }
    default:
      return bytes.insert(somewhere(), random.of(kTexts));
  }
}

std::vector<Path> files_below(const Path& folder) {
  std::vector<Path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    // Not through links: what they lead to is not ours to damage.
    if (fs::is_regular_file(entry.symlink_status())) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void put_bytes(const Path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

void mutate_folder(const Path& folder, const Path& victim, Random& random) {
  for (size_t left = 1 + random.below(4); left > 0; --left) {
    const std::vector<Path> files = files_below(folder);
    if (files.empty()) return;
    const Path file = random.of(files);
    const uintmax_t size = fs::file_size(file);
    if (size > kMostBytes) continue;  // was made so large; we have the program's limits ourselves
    const size_t kind = random.below(40);
    if (kind < 33) {
      put_bytes(file, mutate_bytes(slurp(file), random));
      continue;
    }
    if (kind == 33) {
      const Path& other = random.of(files);
      if (fs::file_size(other) <= kMostBytes) put_bytes(file, slurp(other));
      continue;
    }
    if (kind == 34) {
      fs::resize_file(file, size + (uintmax_t{1} << (10 + random.below(24))));  // a hole
      continue;
    }
    fs::remove(file);
    if (kind == 35) fs::create_symlink(victim, file);
    if (kind == 36) ::mkfifo(file.c_str(), 0600);
    if (kind == 37) fs::create_directory(file);
    if (kind == 38) fs::create_symlink(file, file);  // a loop
  }
}

class Campaign {
 public:
  Campaign(std::string program, uint64_t seed) : program_(std::move(program)), random_(seed) {
    std::string pattern = fs::temp_directory_path() / "spml-commands-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    weights_ = folder_ / "weights.safetensors";
    put_bytes(folder_ / "victim", "precious");
    make_command_seeds(program_, folder_ / "seeds", weights_);
  }
  Campaign(const Campaign&) = delete;
  Campaign& operator=(const Campaign&) = delete;
  ~Campaign() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  void once() {
    const Command& command = random_.of(command_list());
    const Path in = folder_ / "in", out = folder_ / "out";
    fs::remove_all(in);
    fs::remove_all(out);
    fs::copy(folder_ / "seeds", in, fs::copy_options::recursive);
    mutate_folder(in / command.mutated, folder_ / "victim", random_);
    std::vector<std::string> words = {program_};
    for (std::string word : command.words) {
      for (const auto& [name, path] : {std::pair("IN", in), {"OUT", out}, {"WEIGHTS", weights_}}) {
        const size_t at = word.find(name);
        if (at != std::string::npos) word.replace(at, std::string(name).size(), path);
      }
      words.push_back(word);
    }
    const Ran ran = run(words, folder_);
    ++outcomes_[ran.code];
    ++per_verb_[command.words[0]];
    peak_kb_ = std::max(peak_kb_, ran.peak_kb);
    std::string why = complaint(ran);
    if (why.empty() && slurp(folder_ / "victim") != "precious")
      why = "a file elsewhere was written";
    if (!why.empty()) keep(words, in, why, ran);
  }

  size_t findings() const { return findings_; }
  void report() const {
    size_t total = 0;
    for (const auto& [verb, count] : per_verb_) total += count;
    std::printf("%zu commands, %zu findings, at most %ld MB;", total, findings_, peak_kb_ / 1000);
    for (const auto& [code, count] : outcomes_) std::printf(" exit %d: %zu", code, count);
    std::printf("\n");
    for (const auto& [verb, count] : per_verb_) std::printf("  %-12s %zu\n", verb.c_str(), count);
  }

 private:
  void keep(const std::vector<std::string>& words, const Path& in, const std::string& why,
            const Ran& ran) {
    const Path kept = Path("commands-findings") / std::to_string(findings_++);
    fs::remove_all(kept);
    fs::create_directories(kept);
    std::error_code ignored;
    fs::copy(in, kept / "in", fs::copy_options::recursive | fs::copy_options::copy_symlinks,
             ignored);
    std::string text = why + "\n";
    for (const std::string& word : words) text += word + " ";
    put_bytes(kept / "why", text + "\n" + ran.err);
    std::printf("finding %s: %s\n", kept.c_str(), text.c_str());
    std::fflush(stdout);
    put_bytes(folder_ / "victim", "precious");
  }

  std::string program_;
  Random random_;
  Path folder_, weights_;
  size_t findings_ = 0;
  std::map<int, size_t> outcomes_;
  std::map<std::string, size_t> per_verb_;
  long peak_kb_ = 0;
};

int fuzz(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: fuzz_commands PROGRAM SECONDS [SEED]\n");
    return 2;
  }
  const uint64_t seed = argc > 3 ? std::stoull(argv[3]) : std::random_device()();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Campaign campaign(fs::absolute(argv[1]), seed);
#ifndef __SANITIZE_ADDRESS__
  const rlimit limit{kAddressSpace, kAddressSpace};
  ::setrlimit(RLIMIT_AS, &limit);
#endif
  const auto end = Clock::now() + std::chrono::seconds(std::stol(argv[2]));
  while (Clock::now() < end) campaign.once();
  campaign.report();
  return campaign.findings() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace spml

int main(int argc, char** argv) { return spml::fuzz(argc, argv); }
