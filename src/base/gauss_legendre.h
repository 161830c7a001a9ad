// Gauss-Legendre quadrature with N nodes: the integral of density(v) g(v) over v from 0 to 1 is
// about the sum of weight g(node), exactly where density times g is a polynomial of degree 2N - 1
// or less.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace spml {

template <size_t N>
struct Quadrature {
  std::array<double, N> node, weight;
};

// The roots of the Legendre polynomial P_N by Newton's method, mapped from [-1, 1].
template <size_t N, class Density>
Quadrature<N> gauss_legendre(const Density& density) {
  Quadrature<N> rule;
  for (size_t i = 0; i < N; ++i) {
    double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (N + 0.5));
    double derivative = 1;
    for (int newton = 0; newton < 50; ++newton) {
      double p = 1, before = 0;
      for (size_t n = 0; n < N; ++n) {
        const auto d = static_cast<double>(n);
        const double next = ((2 * d + 1) * x * p - d * before) / (d + 1);
        before = p;
        p = next;
      }
      derivative = N * (x * p - before) / (x * x - 1);
      const double step = p / derivative;
      x -= step;
      if (std::abs(step) < 1e-15) break;
    }
    rule.node[i] = (x + 1) / 2;
    rule.weight[i] = density(rule.node[i]) / ((1 - x * x) * derivative * derivative);
  }
  return rule;
}

}  // namespace spml
