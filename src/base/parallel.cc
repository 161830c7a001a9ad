#include "base/parallel.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <thread>

namespace spml {

int hardware_threads() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void parallel_for(size_t n, int threads, const std::function<void(size_t)>& body) {
  if (threads <= 1 || n <= 1) {
    for (size_t i = 0; i < n; ++i) body(i);
    return;
  }
  // More threads than cores would only make TBB complain on stderr.
  tbb::task_arena arena(std::min(threads, hardware_threads()));
  arena.execute([&] { tbb::parallel_for(size_t{0}, n, body, tbb::simple_partitioner()); });
}

}  // namespace spml
