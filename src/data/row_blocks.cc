#include "data/row_blocks.h"

#include <algorithm>
#include <exception>
#include <vector>

#include "base/parallel.h"

namespace spml {

void for_row_blocks(size_t rows, int threads, const std::function<void(size_t, size_t)>& body) {
  constexpr size_t kBlock = 512;
  const size_t blocks = (rows + kBlock - 1) / kBlock;
  std::vector<std::exception_ptr> failures(blocks);
  parallel_for(blocks, threads, [&](size_t b) {
    try {
      body(b * kBlock, std::min(rows, (b + 1) * kBlock));
    } catch (...) {
      failures[b] = std::current_exception();
    }
  });
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace spml
