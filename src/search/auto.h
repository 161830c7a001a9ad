// --loss auto: settings chosen by a search. Many short runs, then whole ones of the best; what
// validation prefers is trained into the run folder, and search.jsonl tells of every trial.
#pragma once

#include "search/search.h"

namespace spml {

// The name that stands for the search where a loss is expected.
inline constexpr const char* kAutoLoss = "auto";

// Searches, then trains what was chosen into the run folder. As run_training() otherwise: under
// kResume an interrupted search goes on after the trials that had ended.
RunRecord run_auto(const Dataset& data, const TrainConfig& base, const AutoOptions& options,
                   const RunEvents& events = {});

}  // namespace spml
