// What came of a session whose loop is done.
#pragma once

#include <cstdint>
#include <vector>

#include "fit/run_result.h"
#include "fit/session.h"

namespace spml {

// Everything but resumed_from_step and seconds, which the owner of a folder knows. Test and train
// metrics are nothing where the data has no truth, or no test rows, to measure against.
RunResult measure(Session& session);

// The training rows' positives that were not observed, counted by predicted probability in 50 bins.
// Error without truth.
std::vector<uint32_t> count_unobserved_positives(Session& session);

// Adds that to an epoch's record where the configuration asks for it.
void add_to_record(Session& session, EpochRecord& record);

}  // namespace spml
