// Checking every row of a matrix on several threads with the same outcome as on one.
#pragma once

#include <cstddef>
#include <functional>

namespace spml {

// body(begin, end) over blocks of [0, rows). When blocks throw, the exception of the lowest one is
// rethrown: the message does not depend on the number of threads.
void for_row_blocks(size_t rows, int threads, const std::function<void(size_t, size_t)>& body);

}  // namespace spml
