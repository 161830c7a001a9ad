#include "race.h"

#include <time.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "base/fail.h"
#include "torch_loop.h"

namespace spml {
namespace {

constexpr size_t kCheckedSteps = 5;
constexpr int kRounds = 7;
constexpr size_t kRoundSteps = 50;
constexpr double kRoundSeconds = 0.15;  // LibTorch stops earlier than kRoundSteps after so much

// LibTorch's threads go on spinning for up to a tenth of a second after their turn, on the cores
// the other needs.
constexpr auto kPause = std::chrono::milliseconds(200);

struct Enough {};  // thrown to end a loop

// One thread is timed by the processor time it uses, so that waiting for others on a busy machine
// is not counted; several threads can only be timed by the clock on the wall.
class Clock {
 public:
  explicit Clock(const Setting& setting)
      : id_(setting.threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC) {}

  double seconds() const {
    timespec time;
    clock_gettime(id_, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

 private:
  clockid_t id_;
};

// Calls turn(step_seconds) after each round of `steps` steps of the trainer, until it says stop.
template <class Turn>
void run_in_rounds(Trainer& trainer, size_t steps, const Turn& turn) {
  const Clock clock(trainer.setting);
  std::vector<double> seconds;
  double before = clock.seconds();
  LoopEvents events;
  events.after_step = [&](const LoopState&) {
    seconds.push_back(clock.seconds() - before);
    if (seconds.size() == steps) {
      if (!turn(seconds)) throw Enough();
      seconds.clear();
      trainer.recording.clear();
    }
    before = clock.seconds();
  };
  try {
    trainer.loop.run(events);
  } catch (const Enough&) {
  }
}

TorchLoop make_torch_loop(Trainer& trainer) {
  const auto& [name, rows, features, labels] = trainer.problem.shape;
  const std::vector<float> weight = trainer.model.weight();
  std::vector<float> estimates;
  TorchLoopSetup setup;
  setup.features = {trainer.problem.values.data(), rows, features};
  setup.observed = {trainer.problem.labels.data(), rows, labels};
  setup.weight = {weight.data(), labels, features};
  setup.bias = trainer.model.bias();
  if (trainer.estimator) {
    for (size_t i = 0; i < rows; ++i) {
      const std::span<const float> u = trainer.estimator->table().start_row(i);
      estimates.insert(estimates.end(), u.begin(), u.end());
    }
    setup.estimates = {estimates.data(), rows, labels};
  }
  setup.lr = trainer.setting.lr;
  setup.k = trainer.problem.k;
  setup.params = trainer.params;
  setup.threads = trainer.setting.threads;
  return TorchLoop(trainer.info.name, setup);
}

}  // namespace

RaceResult race(const Problem& problem, const Setting& setting) {
  Trainer trainer(problem, setting);
  TorchLoop torch = make_torch_loop(trainer);
  const Clock clock(setting);
  std::vector<double> ours, theirs;
  int round = 0;
  run_in_rounds(trainer, kRoundSteps, [&](const std::vector<double>& seconds) {
    const auto& batches = trainer.recording.batches();
    const double start = clock.seconds();
    for (size_t i = 0; i < batches.size(); ++i) {
      const double begin = clock.seconds();
      const double value = torch.step(batches[i]);
      const double end = clock.seconds();
      const bool checked = round == 0 && i < kCheckedSteps;
      if (checked && std::abs(value - trainer.recording.values()[i]) > 1e-4 * value) {
        fail("step {}: the loss is {} here and {} in LibTorch; what is not the same is not timed",
             i, trainer.recording.values()[i], value);
      }
      // The first step of a turn finds the other's data in the caches.
      if (round > 0 && i > 0) theirs.push_back(end - begin);
      if (i >= (round == 0 ? kCheckedSteps : 2) && end - start > kRoundSeconds) break;
    }
    std::this_thread::sleep_for(kPause);
    if (round > 0) ours.insert(ours.end(), seconds.begin() + 1, seconds.end());
    return ++round <= kRounds;
  });
  return {median(ours), median(theirs), time_parts(trainer, 200)};
}

double warm_step_seconds(const Problem& problem, const Setting& setting) {
  Trainer trainer(problem, setting);
  const size_t epoch = problem.shape.rows / setting.batch;
  double result = 0;
  run_in_rounds(trainer, epoch + 2000, [&](const std::vector<double>& seconds) {
    result = median({seconds.end() - 2000, seconds.end()});
    return false;
  });
  return result;
}

}  // namespace spml
