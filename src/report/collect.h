// From the folders of runs, sweeps and reproductions to the one JSON value that the page draws.
#pragma once

#include <vector>

#include "base/files.h"
#include "experiment/config.h"

namespace spml {

// {"version", "sections": [{"title", "experiment" (of a reproduction: see docs/formats.md),
//    "groups": [{"name", "path", "classes": [],
//      "rows": [{"label", "labels", "single", "rank", "winner": {result}}],
//      "runs": [{"name", "row", "chosen", "result": {}, "config": {}, "curve": [val_map by epoch]}]
//    }]}]}
// A sweep is a section with one group; all single runs together are another; an experiment of a
// reproduction is a section with a group for each data set it trained on. `rank` is 1 or 2 for the
// best and the second-best test MAP among the losses that see observed positives only, else 0.
// Error for a folder that is none of these, and for files that are not what spml writes.
Json collect(const std::vector<Path>& folders);

}  // namespace spml
