// The search in a folder: whose folder it is, and what it leaves there.
#include "experiment/auto.h"

#include <atomic>
#include <filesystem>
#include <memory>

#include "data.h"
#include "experiment/average.h"
#include "experiment/decisions.h"
#include "experiment/observed_k.h"
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
  session.train();
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
  session.train();
  expect_stopped([&] { average_classifiers(session, stopping_after(0)); }, "--resume");
}

TEST_F(SearchFolder, StopEndsTheRefit) {
  options.refit = true;
  RunEvents events;
  bool refits = false;
  events.notice = [&](const std::string& text) { refits |= text.find("once more") != text.npos; };
  events.stop_requested = [&] { return refits; };
  expect_stopped([&] { run_auto(data, base, options, events); }, "--resume");
  events.stop_requested = nullptr;
  options.run.existing = Existing::kResume;
  EXPECT_TRUE(run_auto(data, base, options, events).result.refit);
}

}  // namespace
}  // namespace spml
