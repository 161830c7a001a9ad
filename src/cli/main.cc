// The program: parses the command line, runs one verb, and turns its exception into an exit code.
// This is the only place that catches and the only one that decides how the process ends.
#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "base/memory_budget.h"
#include "base/text.h"
#include "cli/cluster.h"
#include "cli/flags/help.h"
#include "cli/flags/parse.h"
#include "cli/mapped_file_errors.h"
#include "cli/standard_streams.h"
#include "cli/verbs.h"
#include "cli/version.h"
#include "spml/error.h"

namespace {

constexpr int kFailed = 1, kUsage = 2, kInterrupted = 130;

int report(const std::string& message, int code) {
  constexpr size_t kMaxLine = 2000;  // names from files may be endless
  std::string line = spml::printable(message);
  if (line.size() > kMaxLine) {
    size_t end = kMaxLine;
    while ((line[end] & 0xc0) == 0x80) --end;  // not in the middle of a character
    line = line.substr(0, end) + "...";
  }
  if (!spml::cli::end_cluster(line, code)) {
    spml::cli::say(fmt::format("spml: error: {}\n", line));
  }
  return code;
}

int report_lost_output() {
  return report(fmt::format("standard output: cannot write: {}", std::strerror(errno)), kFailed);
}

int exit_code(spml::Error::Kind kind) {
  switch (kind) {
    case spml::Error::Kind::kUsage:
      return kUsage;
    case spml::Error::Kind::kInterrupted:
      return kInterrupted;
    case spml::Error::Kind::kFailed:
      break;
  }
  return kFailed;
}

void run(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == "--version") {
    if (words.size() > 2 || (words.size() == 2 && words.back() != "--verbose")) {
      throw spml::Error(
          "--version: expected nothing after it, or --verbose, found '" + words[1] + "'",
          spml::Error::Kind::kUsage);
    }
    fmt::print("{}", spml::cli::version_text(words.size() == 2));
    return;
  }
  if (!words.empty() && words.front() == "help") {  // `spml help train` is `spml train --help`
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  const std::vector<spml::cli::Verb> verbs = spml::cli::all_verbs();
  const spml::cli::Parsed parsed = spml::cli::parse(verbs, words);
  if (parsed.verb == nullptr) {
    fmt::print("{}", spml::cli::help_text(verbs));
  } else if (parsed.help) {
    fmt::print("{}", spml::cli::help_text(*parsed.verb, parsed.path));
  } else {
    const std::string& max_memory = parsed.verb->common->max_memory;
    if (!max_memory.empty()) spml::limit_memory(spml::parse_size(max_memory, "--max-memory"));
    spml::cli::enter_cluster(*parsed.verb, words);
    parsed.verb->run();
    spml::cli::leave_cluster();
  }
}

}  // namespace

int main(int argc, char** argv) {
  spml::cli::open_standard_streams();
  spml::cli::explain_mapped_file_errors();
  try {
    run(argc, argv);
    if (std::fflush(stdout) != 0) return report_lost_output();
    return 0;
  } catch (const spml::Error& error) {
    return report(error.what(), exit_code(error.kind()));
  } catch (const std::bad_alloc&) {
    return report("out of memory", kFailed);
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0) return report_lost_output();
    return report(error.what(), kFailed);
  }
}
