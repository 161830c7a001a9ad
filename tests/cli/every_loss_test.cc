// Every loss of the table trains, gives the same bytes with one thread and with two, and goes on
// after an interruption to the same bytes.
#include "data/dataset.h"
#include "run/run.h"
#include "spml/error.h"
#include "training.h"

namespace spml {
namespace {

class EveryLossTrains : public testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder();
    data_ = new Dataset(open_dataset(make_data(*folder_ / "data"), {.need_features = true}));
  }
  static void TearDownTestSuite() {
    delete data_;
    delete folder_;
  }

  TrainConfig config() const {
    TrainConfig config;
    config.loss = GetParam();
    config.epochs = 6;
    config.batch = 8;
    return config;
  }

  Path out(const std::string& name) const { return *folder_ / (GetParam() + "-" + name); }

  static TemporaryFolder* folder_;
  static Dataset* data_;
};

TemporaryFolder* EveryLossTrains::folder_ = nullptr;
Dataset* EveryLossTrains::data_ = nullptr;

TEST_P(EveryLossTrains, ToTheSameBytesAfterAnInterruption) {
  RunOptions options;
  options.out = out("whole");
  const RunResult whole = run_training(*data_, config(), options).result;
  EXPECT_GT(whole.test_map, 0);

  // Stopped in the middle of an epoch, and once more right after the next has begun.
  options.out = out("stopped");
  options.threads = 2;
  for (const uint64_t stop : {23u, 61u}) {
    uint64_t steps = 0;
    RunEvents events;
    events.step = [&](const LoopState& state, uint64_t) { steps = state.step; };
    events.stop_requested = [&] { return steps + 1 >= stop; };
    EXPECT_THROW(run_training(*data_, config(), options, events), Error);
    options.existing = Existing::kResume;
  }
  const RunResult resumed = run_training(*data_, config(), options).result;
  EXPECT_GE(resumed.resumed_from_step, 61u);
  expect_same_run(out("whole"), out("stopped"));
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const LossInfo* info : all_losses()) {
    if (!info->closed_form) names.emplace_back(info->name);  // else there is no step to stop after
  }
  for (const LossInfo* info : combined_losses()) {
    if (info->memory.any()) names.emplace_back(info->name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Losses, EveryLossTrains, testing::ValuesIn(names()), [](const auto& loss) {
  std::string name = loss.param;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
});

}  // namespace
}  // namespace spml
