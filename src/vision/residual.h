// What a residual block does between its convolutions: element by element, in any layout that the
// tensors have in common.
#pragma once

#include "vision/onednn.h"

namespace spml::onednn {

inline float* floats(const memory& tensor) { return static_cast<float*>(tensor.get_data_handle()); }

template <class Entry>
inline void for_entries(const memory& tensor, const Entry& entry) {
  const auto n = static_cast<int64_t>(tensor.get_desc().get_size() / sizeof(float));
#pragma omp parallel for simd schedule(static)
  for (int64_t i = 0; i < n; ++i) entry(i);
}

inline void add_and_clip(const memory& onto, const memory& other) {
  for_entries(onto, [y = floats(onto), x = floats(other)](int64_t i) {
    const float sum = y[i] + x[i];
    y[i] = sum > 0 ? sum : 0;
  });
}

inline void add(const memory& onto, const memory& other) {
  for_entries(onto, [d = floats(onto), e = floats(other)](int64_t i) { d[i] += e[i]; });
}

inline void add_where_positive(const memory& onto, const memory& other, const memory& where) {
  for_entries(onto, [d = floats(onto), e = floats(other), y = floats(where)](int64_t i) {
    d[i] = y[i] > 0 ? d[i] + e[i] : 0;
  });
}

inline void keep_where_positive(const memory& kept, const memory& where) {
  for_entries(kept,
              [d = floats(kept), y = floats(where)](int64_t i) { d[i] = y[i] > 0 ? d[i] : 0; });
}

}  // namespace spml::onednn
