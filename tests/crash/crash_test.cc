// Every verb that writes, ended before its n-th change of the disk or with a disk that fails from
// there on: what is there then is the old state or the new one, or is refused in one line; the same
// command, told to go on, ends in what an undisturbed one writes; nothing else is left behind.
#include <fmt/core.h>

#include <cstdlib>
#include <map>
#include <set>

#include "base/folders.h"
#include "cli/training.h"
#include "paths.h"

namespace spml {
namespace {

using testing::HasSubstr;

// Which of the n points are tried: SPML_CRASH_POINTS for each verb and fault, or all of them.
std::vector<long> points(long n) {
  const char* asked = std::getenv("SPML_CRASH_POINTS");
  const std::string words = asked != nullptr ? asked : "2";
  const long most = words == "all" ? n : std::min(n, std::max(1L, std::atol(words.c_str())));
  std::vector<long> chosen;
  // The last call of all, and the others evenly before it.
  for (long i = 1; i <= most; ++i) chosen.push_back(n * i / most);
  return chosen;
}

// What is the same in every run: without the time it took.
nlohmann::json timeless(nlohmann::json json) {
  if (json.is_object()) {
    for (const char* key : {"seconds", "train_seconds", "resumed_from_step"}) json.erase(key);
  }
  if (json.is_structured()) {
    for (auto& item : json) item = timeless(item);
  }
  return json;
}

std::string contents(const Path& file) {
  const std::string text = read_file(file);
  const std::string ending = file.extension();
  if (ending == ".json") return timeless(nlohmann::json::parse(text)).dump();
  if (ending != ".jsonl") return text;
  std::string lines;
  for (const auto& line : read_lines(file)) lines += timeless(line).dump() + "\n";
  return lines;
}

// The files below a folder by their names, locks left out: those of runs stay.
std::map<std::string, std::string> tree(const Path& folder) {
  std::map<std::string, std::string> files;
  for (const Path& file : list_files_below(folder)) {
    const std::string name = file.lexically_relative(folder).string();
    if (!file.filename().string().starts_with(".lock")) files[name] = contents(file);
  }
  return files;
}

std::set<std::string> names(const std::map<std::string, std::string>& files) {
  std::set<std::string> all;
  for (const auto& [name, text] : files) all.insert(name);
  return all;
}

// Paths in the words begin with "@/", the folder of a case.
struct Case {
  const char* name;
  std::vector<Words> before;  // what has been done
  Words command;
  Words again;  // the command that goes on after a crash
  Words look;   // reads what is there: fails with one line or succeeds
};

class Crash : public testing::TestWithParam<Case> {
 protected:
  Words placed(const Words& words, const Path& folder) const {
    Words all;
    for (const std::string& word : words) {
      all.push_back(word.starts_with("@/") ? (folder / word.substr(2)).string() : word);
    }
    return all;
  }

  Path prepared(const Path& folder) const {
    std::filesystem::create_directory(folder);
    for (const Words& words : GetParam().before) expect_success(placed(words, folder));
    return folder;
  }

  static Ran run_with(const Words& faults, const Words& words) {
    Words all = {"LD_PRELOAD=" SPML_FAULTS};
    all.insert(all.end(), faults.begin(), faults.end());
    all.push_back(program_path());
    all.insert(all.end(), words.begin(), words.end());
    return Running("/usr/bin/env", all).wait();
  }

  void try_all(const std::string& fault) {
    TemporaryFolder folder;
    const Path whole = prepared(folder / "whole");
    const Path count = folder / "count";
    // At the same path as all others: some files have it in them.
    const Path at = folder / "case";
    std::filesystem::rename(whole, at);
    std::filesystem::copy(at, folder / "old", std::filesystem::copy_options::recursive);
    const Ran ran =
        run_with({"SPML_FAULT_COUNT=" + count.string()}, placed(GetParam().command, at));
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    const auto expected = tree(at);
    const long n = std::stol(read_file(count));
    ASSERT_GT(n, 0);
    for (const long point : points(n)) {
      SCOPED_TRACE(fmt::format("{} before call {} of {}", fault, point, n));
      std::filesystem::remove_all(at);
      std::filesystem::copy(folder / "old", at, std::filesystem::copy_options::recursive);
      const Ran broken = run_with({"SPML_FAULT=" + fault, fmt::format("SPML_FAULT_AT={}", point)},
                                  placed(GetParam().command, at));
      if (fault == "kill") {
        EXPECT_EQ(broken.exit_code, 128 + SIGKILL) << broken.err;
      } else if (broken.exit_code != 0) {  // a folder that cannot be synced is no failure
        EXPECT_EQ(broken.exit_code, 1) << broken.err;
        EXPECT_THAT(broken.err, HasSubstr("spml: error: "));
      }
      const Ran looked = run_program(placed(GetParam().look, at));
      if (looked.exit_code != 0) {
        EXPECT_TRUE(looked.exit_code == 1 || looked.exit_code == 2) << looked.err;
        EXPECT_EQ(std::count(looked.err.begin(), looked.err.end(), '\n'), 1) << looked.err;
      }
      Ran resumed = run_program(placed(GetParam().again, at));
      EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
      const auto found = tree(at);
      EXPECT_EQ(names(found), names(expected));
      for (const auto& [name, text] : expected) {
        if (found.contains(name)) {
          EXPECT_TRUE(found.at(name) == text) << name;
        }
      }
    }
  }
};

TEST_P(Crash, ByASignal) { try_all("kill"); }
TEST_P(Crash, OfAFullDisk) { try_all("ENOSPC"); }
TEST_P(Crash, OfABrokenDisk) { try_all("EIO"); }

const Words kSynth = {"synth",    "--out", "@/data",     "--rows", "40",
                      "--labels", "3",     "--features", "4"};
const Words kObserve = {"observe", "@/data", "--force", "--seed", "7"};
const Words kTrain = {"train", "@/data",  "--loss",    "role", "--epochs",           "2", "--out",
                      "@/run", "--quiet", "--threads", "1",    "--checkpoint-every", "2"};
const Words kSearch = {"train", "@/data", "--trials", "4",         "--epochs", "1",
                       "--out", "@/run",  "--quiet",  "--threads", "1"};
const Words kSweep = {"sweep", "@/data", "--loss",  "an",      "--lr",      "1e-2,1e-3", "--epochs",
                      "1",     "--out",  "@/sweep", "--quiet", "--threads", "1"};
const Words kStats = {"stats", "@/data"};
const Words kEvaluate = {"evaluate", "@/run", "@/data"};

const Case kCases[] = {
    {"Synth", {}, kSynth, kSynth + Words{"--overwrite"}, kStats},
    {"SynthOverAnother",
     {kSynth + Words{"--seed", "9"}},
     kSynth + Words{"--overwrite"},
     kSynth + Words{"--overwrite"},
     kStats},
    {"Observe", {kSynth}, kObserve, kObserve, kStats},
    {"Train", {kSynth}, kTrain, kTrain + Words{"--resume"}, kEvaluate},
    {"TrainOverAnother",
     {kSynth, kTrain + Words{"--seed", "4"}},
     kTrain + Words{"--overwrite"},
     kTrain + Words{"--overwrite"},
     kEvaluate},
    {"Search", {kSynth}, kSearch, kSearch + Words{"--resume"}, kEvaluate},
    {"Sweep", {kSynth}, kSweep, kSweep, kStats},
};
INSTANTIATE_TEST_SUITE_P(Verbs, Crash, testing::ValuesIn(kCases),
                         [](const auto& verb) { return std::string(verb.param.name); });

}  // namespace
}  // namespace spml
