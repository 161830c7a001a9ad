// Spreading independent work over threads.
#pragma once

#include <cstddef>
#include <functional>

namespace spml {

int hardware_threads();

// body(i) for i in [0, n), on at most `threads` threads. The first exception is rethrown. Results
// must not depend on the order of calls.
void parallel_for(size_t n, int threads, const std::function<void(size_t)>& body);

}  // namespace spml
