// Trains a session, however its loss asks for it.
#pragma once

#include "fit/session.h"

namespace spml {

// Runs the loop, or solves for the classifier of a loss that takes no steps.
void train(Session& session, const LoopEvents& events = {});

}  // namespace spml
