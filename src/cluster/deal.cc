#include "cluster/deal.h"

#include <mutex>

#include "base/parallel.h"

namespace spml {

void deal_out(Cluster* cluster, size_t n, int jobs, const std::function<void(size_t)>& body) {
  if (cluster == nullptr) return parallel_for(n, jobs, body);
  cluster->begin_dealing();
  std::mutex asking;
  const auto next = [&] {
    const std::lock_guard guard(asking);
    return cluster->next();
  };
  parallel_for(static_cast<size_t>(jobs), jobs, [&](size_t) {
    for (uint64_t i = next(); i < n; i = next()) body(i);
  });
}

}  // namespace spml
