// The search in a folder: whose folder it is, and what it leaves there.
#include "search/auto.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>

#include "base/folders.h"
#include "cluster/thread_cluster.h"
#include "data.h"
#include "fit/average.h"
#include "fit/decisions.h"
#include "fit/observed_k.h"
#include "fit/train.h"
#include "testing.h"

namespace spml {
namespace {

using testing::HasSubstr;

class SearchFolder : public testing::Test {
 protected:
  TemporaryFolder folder;
  Dataset data = small_data({.rows = 120});
  TrainConfig base;
  AutoOptions options;

  SearchFolder() {
    base.epochs = 2;
    options.run.out = folder / "run";
    options.trials = 10;
  }
};

TEST_F(SearchFolder, IsLockedFromTheFirstTrialOn) {
  int tried = 0;
  RunEvents events;
  events.step = [&](const LoopState&, uint64_t) {
    ++tried;
    EXPECT_SPML_ERROR(claim_folder(options.run.out, Existing::kResume),
                      HasSubstr("another spml process"));
  };
  run_auto(data, base, options, events);
  EXPECT_GT(tried, 0);
  EXPECT_NO_THROW(claim_folder(options.run.out, Existing::kResume));
}

TEST(Ridge, IsSearchedWhereSolvingTakesNoLongerThanTraining) {
  EXPECT_TRUE(is_worth_solving(4574, 4096, 20, 25));
  EXPECT_TRUE(is_worth_solving(3659, 4096, 20, 25));
  EXPECT_TRUE(is_worth_solving(1500, 12000, 20, 25));
  EXPECT_TRUE(is_worth_solving(65665, 2048, 80, 25));
  EXPECT_TRUE(is_worth_solving(6000, 6000, 20, 25));
  EXPECT_FALSE(is_worth_solving(8192, 8192, 20, 25));
  EXPECT_TRUE(is_worth_solving(8192, 8192, 200, 25));  // training takes longer
  EXPECT_FALSE(is_worth_solving(8193, 8193, 200, 25));
  // Fewer rows than features: the matrix of the rows takes their square times the features.
  EXPECT_FALSE(is_worth_solving(4000, 100000, 5, 25));
  EXPECT_TRUE(is_worth_solving(400, 100000, 5, 25));
  EXPECT_FALSE(is_worth_solving(1000000, 4000, 5, 25));
}

TEST_F(SearchFolder, SecondsAreThoseOfTheWholeCommand) {
  options.refit = true;
  options.run.start -= std::chrono::hours(1);  // spent on loading, say
  EXPECT_GE(run_auto(data, base, options).result.seconds, 3600);
  EXPECT_GE(read_run(options.run.out).result.seconds, 3600);
}

// Asks to stop from the nth time on that it is asked.
RunEvents stopping_after(int times) {
  RunEvents events;
  events.stop_requested = [asked = std::make_shared<std::atomic<int>>(0), times] {
    return ++*asked > times;
  };
  return events;
}

void expect_stopped(const std::function<void()>& work, const std::string& when) {
  try {
    work();
    ADD_FAILURE() << "expected to be stopped";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kInterrupted);
    EXPECT_THAT(error.what(), HasSubstr(when));
  }
}

TEST(Stop, EndsTheEstimateOfK) {
  const Dataset data = small_data({.rows = 120, .truth = false});
  expect_stopped([&] { with_estimated_k(data, config_of("role"), 2, stopping_after(0)); },
                 "while k was estimated");
}

TEST(Stop, EndsTheTrainingOfFolds) {
  const Dataset data = small_data({.rows = 120, .truth = false});
  Session session(data, config_of("an"), 1);
  train(session);
  expect_stopped([&] { decide(session, stopping_after(0)); }, "before it was calibrated");
}

TEST(Stop, EndsWhatIsSolvedFor) {
  TemporaryFolder folder;
  const Dataset data = small_data();
  TrainConfig config = config_of("ridge");
  RunOptions options;
  options.out = folder / "ridge";
  expect_stopped([&] { run_training(data, config, options, stopping_after(0)); }, "--resume");
  EXPECT_FALSE(std::filesystem::exists(folder / "ridge" / "result.json"));
  config = config_of("an");
  config.blend_ridge = true;
  Session session(data, config, 1);
  train(session);
  expect_stopped([&] { average_classifiers(session, stopping_after(0)); }, "--resume");
}

// Counts trials, and stops once `most` have ended.
class Trials {
 public:
  explicit Trials(int most) {
    events.step = [this](const LoopState&, uint64_t) { ++ended; };
    events.stop_requested = [this, most] { return ended >= most; };
  }

  std::atomic<int> ended = 0;
  RunEvents events;
};

class ResumedSearch : public SearchFolder {
 protected:
  // A search that was never interrupted, and how many trials it had.
  int search_whole() {
    AutoOptions whole = options;
    whole.run.out = folder / "whole";
    Trials all(1000);
    run_auto(data, base, whole, all.events);
    return all.ended;
  }
  void interrupt_after(int trials) {
    Trials some(trials);
    expect_stopped([&] { run_auto(data, base, options, some.events); },
                   "during the search; continue with --resume");
    options.run.existing = Existing::kResume;
  }
  int resume() {
    Trials rest(1000);
    run_auto(data, base, options, rest.events);
    return rest.ended;
  }
  void expect_same_bytes() {
    for (const char* file : {"model.safetensors", "search.jsonl"}) {
      EXPECT_EQ(read_file(folder / "run" / file), read_file(folder / "whole" / file)) << file;
    }
    EXPECT_FALSE(std::filesystem::exists(journal));
  }

  Path journal = folder / "run/search.part.jsonl";
};

TEST_F(ResumedSearch, TrainsTheMissingTrialsOnlyAndGivesTheSameBytes) {
  const int all = search_whole();
  ASSERT_GT(all, 6);
  interrupt_after(4);
  EXPECT_TRUE(std::filesystem::exists(journal));
  interrupt_after(2);
  EXPECT_EQ(resume(), all - 6);
  expect_same_bytes();
  EXPECT_EQ(resume(), 0);
}

TEST_F(ResumedSearch, GoesOnWithSeveralThreads) {
  const int all = search_whole();
  options.run.threads = 3;
  interrupt_after(4);
  EXPECT_LE(resume(), all - 4);
  expect_same_bytes();
}

TEST_F(ResumedSearch, GoesOnWithSeveralRanks) {
  const int all = search_whole();
  interrupt_after(4);
  std::atomic<int> ended = 0;
  run_cluster(2, [&](Cluster& cluster) {
    AutoOptions mine = options;
    mine.run.cluster = &cluster;
    RunEvents events;
    events.step = [&](const LoopState&, uint64_t) { ++ended; };
    run_auto(data, base, mine, events);
  });
  EXPECT_EQ(ended, all - 4);
  expect_same_bytes();
}

// Rank 0 keeps what the others found once a stage is joined, each trial once.
TEST_F(ResumedSearch, KnowsTheTrialsOfAllRanks) {
  const int all = search_whole();
  const auto stop = [&](Cluster& cluster) {
    AutoOptions mine = options;
    mine.run.cluster = &cluster;
    RunEvents events;
    events.stop_requested = [&] { return path_exists(folder / "run/config.json"); };
    run_auto(data, base, mine, events);
  };
  EXPECT_THROW(run_cluster(2, stop), Error);
  const std::string text = read_file(journal);
  EXPECT_EQ(std::ranges::count(text, '\n'), all + 1);
  options.run.existing = Existing::kResume;
  EXPECT_EQ(resume(), 0);
  expect_same_bytes();
}

TEST_F(ResumedSearch, NeedsTheFlag) {
  interrupt_after(1);
  options.run.existing = Existing::kRefuse;
  EXPECT_SPML_ERROR(resume(), HasSubstr("give --resume to continue"));
  options.run.existing = Existing::kOverwrite;
  EXPECT_EQ(resume(), search_whole());
  expect_same_bytes();
}

TEST_F(ResumedSearch, KnowsItsTrialsInTheFinalRunToo) {
  for (const bool limited : {false, true}) {
    if (limited) options.time_limit = 1e6;
    options.run.out = folder / (limited ? "limited" : "run");
    options.run.existing = Existing::kRefuse;
    RunEvents events;
    events.stop_requested = [&] { return path_exists(options.run.out / "config.json"); };
    expect_stopped([&] { run_auto(data, base, options, events); }, "--resume");
    options.run.existing = Existing::kResume;
    EXPECT_EQ(resume(), 0);
  }
  options.time_limit.reset();
  search_whole();
  expect_same_bytes();
}

// A folder of a version without a journal.
TEST_F(ResumedSearch, TakesTheSettingsOfTheRunWhereATimeLimitMightChooseOthers) {
  options.time_limit = 1e6;
  RunEvents events;
  events.stop_requested = [&] { return path_exists(folder / "run/config.json"); };
  expect_stopped([&] { run_auto(data, base, options, events); }, "--resume");
  std::filesystem::remove(journal);
  const std::string loss = read_run_setup(folder / "run/config.json").identity.config.loss;
  options.run.existing = Existing::kResume;
  EXPECT_EQ(resume(), 0);
  EXPECT_EQ(read_run(folder / "run").result.loss, loss);
  EXPECT_EQ(read_file(folder / "run/search.jsonl"), "");
}

TEST_F(ResumedSearch, IgnoresALineThatWasCutShort) {
  const int all = search_whole();
  interrupt_after(4);
  const std::string text = read_file(journal);
  write_file(journal, text.substr(0, text.size() - 5));
  EXPECT_EQ(resume(), all - 3);
  expect_same_bytes();
}

TEST_F(ResumedSearch, RefusesADamagedJournalAndAnotherSearch) {
  interrupt_after(2);
  const std::string text = read_file(journal);
  const size_t second = text.find('\n') + 1, third = text.find('\n', second) + 1;
  const std::string line = text.substr(second, third - second);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = line;
    changed.replace(changed.find(from), from.size(), to);
    return text.substr(0, second) + changed + text.substr(third);
  };
  for (const std::string& damaged :
       {"garbage\n" + text, text + "{}\n", text + line, with("\"score\":", "\"scored\":"),
        with("\"seconds\":", "\"seconds\":-"), with("\"stage\":\"screen\"", "\"stage\":\"final\""),
        with("\"trial\":", "\"trial\":-")}) {
    write_file(journal, damaged);
    EXPECT_SPML_ERROR(resume(), testing::AllOf(HasSubstr("search.part.jsonl"),
                                               HasSubstr("start again with --overwrite")));
    EXPECT_EQ(read_file(journal), damaged);
  }
  write_file(journal, text);
  base.seed = 7;
  EXPECT_SPML_ERROR(resume(), HasSubstr("seed 0, but 7 was asked for"));
  base.seed = 0;
  options.trials = 11;
  EXPECT_SPML_ERROR(resume(), HasSubstr("trials 10, but 11"));
  options.trials = 10;
  data = small_data({.rows = 100});
  EXPECT_SPML_ERROR(resume(), HasSubstr("data_fingerprint"));
}

TEST_F(ResumedSearch, WritesItsJournalThroughNoLinkAndWaitsForNoPipe) {
  interrupt_after(2);
  const Path elsewhere = folder / "elsewhere";
  std::filesystem::rename(journal, elsewhere);
  const std::string text = read_file(elsewhere);
  std::filesystem::create_symlink(elsewhere, journal);
  resume();
  EXPECT_EQ(read_file(elsewhere), text);
  std::filesystem::remove_all(folder / "run");
  std::filesystem::create_directory(folder / "run");
  ASSERT_EQ(::mkfifo(journal.c_str(), 0600), 0);
  EXPECT_SPML_ERROR(resume(), HasSubstr("expected a regular file"));
}

TEST_F(SearchFolder, StopEndsTheRefit) {
  options.refit = true;
  RunEvents events;
  bool refits = false;
  events.notice = [&](const std::string& text) { refits |= text.find("once more") != text.npos; };
  events.stop_requested = [&] { return refits; };
  expect_stopped([&] { run_auto(data, base, options, events); }, "--resume");
  // No result belongs to another model than the one beside it.
  EXPECT_FALSE(std::filesystem::exists(folder / "run/result.json"));
  events.stop_requested = nullptr;
  options.run.existing = Existing::kResume;
  EXPECT_TRUE(run_auto(data, base, options, events).result.refit);
}

// As versions left it that wrote the result before the refit.
TEST_F(SearchFolder, RefitsARunThatWasFinishedBeforeItsRefit) {
  options.refit = true;
  const RunRecord whole = run_auto(data, base, options);
  const std::string model = read_file(folder / "run/model.safetensors");
  RunResult without = whole.result;
  without.refit = false;
  write_file(folder / "run/result.json", json_text(without));
  std::filesystem::remove(folder / "run/search.jsonl");
  options.run.existing = Existing::kResume;
  EXPECT_TRUE(run_auto(data, base, options).result.refit);
  EXPECT_EQ(read_file(folder / "run/model.safetensors"), model);
}

}  // namespace
}  // namespace spml
