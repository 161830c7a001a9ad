// From a session to a classifier that can be used: trained, measured and calibrated. Runs, searches
// and the library's train() all go through here.
#pragma once

#include <memory>
#include <string>

#include "fit/decisions.h"
#include "fit/run_events.h"
#include "fit/run_result.h"
#include "fit/session.h"

namespace spml {

// What came of a session, which has the model. The caller fills in resumed_from_step and seconds.
struct Fit {
  RunResult result;
  Decisions decisions;
};

// Steps and epochs are reported to `events`, whose request to stop ends the work between two steps
// with an interruption in these words.
LoopEvents reporting(Session& session, const RunEvents& events, const std::string& words);

// Trains the session, takes the mean with other classifiers where the configuration asks for it,
// then measures and calibrates.
Fit fit(Session& session, const LoopEvents& steps, const RunEvents& events);

// The session's settings once more, on train and val, for as many epochs as val had found best. The
// model is that of the session returned; `made` keeps its decisions, which val was held out for,
// and its result gets the new model's metrics.
std::unique_ptr<Session> refit(const Session& held_out, Fit& made, const RunEvents& events);

}  // namespace spml
