// Float buffers aligned for every SIMD target and grouped in whole cache lines. Large ones ask for
// huge pages: rows are then found at random places without a page-table walk each.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>
#include <vector>

namespace spml {

inline constexpr size_t kAlignment = 64;
inline constexpr size_t kHugePage = size_t{2} << 20;

template <class T>
struct AlignedAllocator {
  using value_type = T;

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}

  T* allocate(size_t n) {
    if (n > std::numeric_limits<size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    const size_t bytes = n * sizeof(T);
    void* p = ::operator new(bytes, alignment(bytes));
    if (bytes >= kLarge) madvise(p, bytes, MADV_HUGEPAGE);  // a wish: failure does not matter
    return static_cast<T*>(p);
  }
  void deallocate(T* p, size_t n) { ::operator delete(p, alignment(n * sizeof(T))); }
  bool operator==(const AlignedAllocator&) const = default;

 private:
  static constexpr size_t kLarge = 4 * kHugePage;
  static std::align_val_t alignment(size_t bytes) {
    return std::align_val_t(bytes >= kLarge ? kHugePage : kAlignment);
  }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace spml
