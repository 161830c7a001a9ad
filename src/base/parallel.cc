#include "base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <thread>

#ifdef __SANITIZE_THREAD__
#include <atomic>
#include <exception>
#include <mutex>
#include <vector>
#else
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

namespace spml {
namespace {

#ifdef __SANITIZE_THREAD__
// ThreadSanitizer does not see how TBB's library, built without it, orders its tasks, and would
// report every result that a task hands back. Plain threads show it the races of the bodies.
void spread(size_t n, int threads, const std::function<void(size_t)>& body) {
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::exception_ptr error;
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&] {
      try {
        for (size_t i = next++; i < n; i = next++) body(i);
      } catch (...) {
        next = n;
        const std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  if (error) std::rethrow_exception(error);
}
#else
void spread(size_t n, int threads, const std::function<void(size_t)>& body) {
  tbb::task_arena arena(threads);
  arena.execute([&] { tbb::parallel_for(size_t{0}, n, body, tbb::simple_partitioner()); });
}
#endif

}  // namespace

// taskset, mpirun and batch systems leave a process some of the machine's cores: more threads than
// those would wait for each other.
int hardware_threads() {
  static const int cores = [] {
    cpu_set_t open;
    const bool known = ::sched_getaffinity(0, sizeof open, &open) == 0;
    return known ? CPU_COUNT(&open) : static_cast<int>(std::thread::hardware_concurrency());
  }();
  return std::max(1, cores);
}

void parallel_for(size_t n, int threads, const std::function<void(size_t)>& body) {
  // More threads than cores would only make TBB complain on stderr.
  threads = std::min(threads, hardware_threads());
  if (threads <= 1 || n <= 1) {
    for (size_t i = 0; i < n; ++i) body(i);
    return;
  }
  spread(n, threads, body);
}

}  // namespace spml
