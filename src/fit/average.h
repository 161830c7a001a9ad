// What becomes of a linear classifier once it is trained, where more than one is wanted. Scores are
// linear in the weights, so that the mean of the weights is the mean of the scores: one classifier
// as large as each.
//   --average N     N that differ in their seed: depends less on the order of the rows and on where
//                   training started
//   --blend-ridge   one that was solved for beside it (closed_form.h)
#pragma once

#include "fit/run_events.h"
#include "fit/session.h"

namespace spml {

// Trains the others once the session's training is done, and gives its model the mean of all, each
// taken at its best epoch. Does nothing unless the configuration asks for it. Returns the
// validation MAP of the session's model.
double average_classifiers(Session& session, const RunEvents& events, const Split* rows = nullptr);

}  // namespace spml
