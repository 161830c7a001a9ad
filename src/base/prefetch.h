// Asking for memory before it is needed.
#pragma once

#include <algorithm>
#include <cstddef>

namespace spml {

// The first few cache lines of a block; the processor's own prefetcher follows from there.
inline void prefetch(const void* data, size_t bytes) {
  constexpr size_t kLine = 64, kMost = 8 * kLine;
  const char* p = static_cast<const char*>(data);
  for (size_t i = 0; i < std::min(bytes, kMost); i += kLine) __builtin_prefetch(p + i);
}

}  // namespace spml
