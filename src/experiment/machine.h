// Where a result was made.
#pragma once

#include "experiment/config.h"

namespace spml {

// {"cpu", "cores", "memory_gib", "os", "simd"}
Json describe_machine();

}  // namespace spml
