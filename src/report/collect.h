// From run folders and sweep folders to the one JSON value that the page draws.
#pragma once

#include <vector>

#include "base/files.h"
#include "experiment/config.h"

namespace spml {

// {"version", "groups": [{"title", "path", "classes": [],
//    "losses": [{"loss", "labels", "single", "rank", "winner": {result}}],
//    "runs": [{"name", "winner", "result": {}, "config": {}, "curve": [val_map per epoch]}]}]}
// A sweep is a group; all single runs together are one. `rank` is 1 or 2 for the best and the
// second-best test MAP among the losses that see observed positives only, else 0. Error for a
// folder that is neither, and for files that are not what a run writes.
Json collect(const std::vector<Path>& folders);

}  // namespace spml
