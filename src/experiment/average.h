// --average N: the mean of N linear classifiers that differ in their seed. Their scores are linear
// in their weights, so that the mean of the weights is the mean of the scores: one classifier as
// large as each, which depends less on the order of the rows and on where training started.
#pragma once

#include "experiment/run.h"
#include "experiment/session.h"

namespace spml {

// Trains the others once the session's loop is done, and gives its model the mean of all, each
// taken at its best epoch. Does nothing unless the configuration asks for several. Returns the
// validation MAP of the session's model.
double average_over_seeds(Session& session, const RunEvents& events, const Split* rows = nullptr);

}  // namespace spml
