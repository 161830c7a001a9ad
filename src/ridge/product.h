// Products of dense matrices, for the few large ones that least squares needs.
#pragma once

#include <cstddef>

namespace spml {

// Element (i, j) is data[i * row_step + j * column_step]: swap the steps to transpose.
struct Strided {
  const float* data = nullptr;
  size_t row_step = 0, column_step = 1;
};

// C (m, n) += scale * A (m, k) B (k, n), with C in rows of c_step. The same bytes for any number of
// threads.
void add_product(Strided a, Strided b, size_t m, size_t n, size_t k, float scale, float* c,
                 size_t c_step, int threads);

}  // namespace spml
