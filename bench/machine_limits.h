// What the machine can do at most, measured: the ceilings that step times are compared with.
#pragma once

#include <cstddef>
#include <string>

namespace spml {

std::string simd_target();  // the widest that runs here: AVX2, AVX3, ...

// Multiply-adds on independent registers, two operations each, in 1e9 a second.
double peak_gflops(int threads);

// Bytes read, and read and written back in place, in 1e9 a second, by threads that each have a
// buffer of `bytes`: a few hundred KiB measure the second-level cache, hundreds of MiB the memory.
double read_bandwidth(size_t bytes, int threads);
double update_bandwidth(size_t bytes, int threads);

}  // namespace spml
