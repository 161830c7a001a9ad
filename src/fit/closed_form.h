// Linear classifiers that are solved for (src/ridge, src/convex): in place of those trained by
// steps, where a loss's row of the table says closed_form, or beside them (--blend-ridge).
#pragma once

#include "fit/session.h"

namespace spml {

// The session's model becomes the solution; its loop's state is that of a run of one step and one
// epoch. Error where there are too many features or labels for it, or where each process has rows
// of its own.
void solve(Session& session, const LoopEvents& events);

// The session's model becomes the mean of itself and the solution, whose scores of each label are
// first given the mean and the deviation that the model's have on the training rows. What one of
// them gets wrong the other often does not: see docs/choosing.md.
void blend_with_solution(Session& session, const LoopEvents& events = {});

}  // namespace spml
