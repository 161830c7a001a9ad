#include "fit/train.h"

#include "fit/closed_form.h"

namespace spml {

void train(Session& session, const LoopEvents& events) {
  if (takes_steps(session.config)) {
    session.loop.run(events);
  } else {
    solve(session, events);
  }
}

}  // namespace spml
