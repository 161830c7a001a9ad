// The vectorised parts of lazy Adam, for one row of n values.
#pragma once

#include <cstddef>
#include <span>

#include "train/adam.h"

namespace spml {

// The constants of a catch-up; see lazy_adam.h.
struct CatchUp {
  float scale;     // lr * s1
  float center;    // weighted mean of c
  float variance;  // weighted variance of c
  float eps;
};

// out = u - scale (m / sqrt v) [ 1/(1 + x c) + x^2 variance / (1 + x c)^3 ],  x = eps / sqrt v
void catch_up_row(const CatchUp& constants, const float* u, const float* m, const float* v,
                  size_t n, float* out);

// The same without expansion: out = u - lr sum_j a_j m / (sqrt(v) / c_j + eps)
struct DecayTerm {
  float a, inverse_c;
};
void catch_up_row(std::span<const DecayTerm> terms, float lr, float eps, const float* u,
                  const float* m, const float* v, size_t n, float* out);

// One Adam step of u, m and v.
void adam_row(const AdamStep& constants, const float* gradient, float* u, float* m, float* v,
              size_t n);

}  // namespace spml
