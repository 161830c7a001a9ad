// Average precision put together from parts of the labels. The rest is in include/spml/metrics.h.
#pragma once

#include "spml/metrics.h"

namespace spml {

// Adds the classes of `more` behind those of `result`; summarise() then gives the mean over all.
void append(MapResult& result, const MapResult& more);

// Sets map and map_nonempty from the per-class values.
void summarise(MapResult& result);

}  // namespace spml
