#include "fit/fit.h"

#include "base/fail.h"
#include "fit/average.h"
#include "fit/measure.h"
#include "fit/train.h"

namespace spml {
namespace {

void measure_reliability(Session& session, const Calibration& calibration, RunResult& result) {
  if (const auto reliability = test_reliability(session, calibration)) {
    result.ece = reliability->error();
    result.reliability = reliability->bins();
  }
}

}  // namespace

LoopEvents reporting(Session& session, const RunEvents& events, const std::string& words) {
  LoopEvents loop = until(events.stop_requested, words);
  loop.after_step = [&events, total = session.total_steps(),
                     stop = std::move(loop.after_step)](const LoopState& state) {
    if (events.step) events.step(state, total);
    if (stop) stop(state);
  };
  loop.after_epoch = [&events, &session](EpochRecord& record) {
    add_to_record(session, record);
    if (events.epoch) events.epoch(record);
  };
  return loop;
}

Fit fit(Session& session, const LoopEvents& steps, const RunEvents& events) {
  train(session, steps);
  const double val_map = average_classifiers(session, events);
  Fit made{measure(session), decide(session, events)};
  made.result.val_map = val_map;
  made.result.thresholds_from = to_string(made.decisions.from);
  made.result.expected = made.decisions.quality;
  measure_reliability(session, made.decisions.calibration, made.result);
  return made;
}

std::unique_ptr<Session> refit(const Session& held_out, Fit& made, const RunEvents& events) {
  TrainConfig config = held_out.config;
  const int best = made.result.best_epoch, last = takes_steps(config) ? config.epoch_count() : 1;
  if (best < 1 || best > last) {  // read from a checkpoint
    fail("expected a best epoch from 1 to {}, found {}; start again with --overwrite", last, best);
  }
  if (events.notice) events.notice("training the chosen settings once more, on train and val");
  config.refit = true;
  config.epochs = best;
  auto whole = std::make_unique<Session>(held_out.data, config, held_out.threads,
                                         std::optional<LinearStart>(), ImageModelMaker(), nullptr,
                                         held_out.part.cluster);
  LoopEvents steps =
      reporting(*whole, events, "stopped before the refit was done; continue with --resume");
  steps.after_epoch = nullptr;  // the epochs of a run are those that val has chosen from
  train(*whole, steps);
  average_classifiers(*whole, events);
  const RunResult measured = measure(*whole);
  made.result.test_map = measured.test_map;
  made.result.train_map = measured.train_map;
  made.result.test_map_nonempty = measured.test_map_nonempty;
  made.result.per_class_ap = measured.per_class_ap;
  measure_reliability(*whole, made.decisions.calibration, made.result);
  made.result.refit = true;
  return whole;
}

}  // namespace spml
