#include "data/split.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/fail.h"
#include "base/memory_budget.h"
#include "base/numpy_random.h"

namespace spml {
namespace {

// round(fraction * n), halves to even as NumPy rounds.
size_t rounded_share(size_t n, double fraction) {
  if (n > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    fail("expected at most {} rows, found {}", std::numeric_limits<int32_t>::max(), n);
  }
  if (!(fraction >= 0 && fraction <= 1)) {
    fail("expected a fraction of the rows from 0 to 1, found {}", fraction);
  }
  return static_cast<size_t>(std::nearbyint(fraction * static_cast<double>(n)));
}

}  // namespace

Split split_rows(size_t n, double val_fraction, uint32_t seed) {
  return split_folds(n, val_fraction, seed, 1).front();
}

std::vector<Split> split_folds(size_t n, double val_fraction, uint32_t seed, size_t count) {
  const size_t held_out = rounded_share(n, val_fraction);
  const size_t most = held_out > 0 ? n / held_out : 1;
  const size_t folded = std::clamp<size_t>(count, 1, std::max<size_t>(most, 1));
  MemoryBudget().require(
      saturating_product(n, folded + 1, sizeof(int32_t)),
      fmt::format("data of {} rows: dividing them into training and validation", n));
  const std::vector<int32_t> order = NumpyRandom(seed).permutation(n);
  std::vector<Split> folds(folded);
  auto end = order.end();
  for (Split& fold : folds) {
    const auto begin = end - static_cast<std::ptrdiff_t>(held_out);
    fold.val.assign(begin, end);
    fold.train.assign(order.begin(), begin);
    fold.train.insert(fold.train.end(), end, order.end());
    std::ranges::sort(fold.train);
    std::ranges::sort(fold.val);
    end = begin;
  }
  return folds;
}

std::vector<int32_t> subsample_rows(const std::vector<int32_t>& rows, double fraction,
                                    uint32_t seed) {
  const size_t kept = rounded_share(rows.size(), fraction);
  std::vector<int32_t> chosen = NumpyRandom(seed).permutation(rows.size());
  chosen.resize(kept);
  std::ranges::sort(chosen);
  for (int32_t& index : chosen) index = rows[static_cast<size_t>(index)];
  return chosen;
}

}  // namespace spml
