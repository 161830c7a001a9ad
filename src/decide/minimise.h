// The minimum of a smooth function of a few thousand variables: limited-memory BFGS.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace spml {

// The value at x; the gradient, of the same length, is written.
using SmoothFunction = std::function<double(std::span<const double> x, std::span<double> gradient)>;

struct MinimiseOptions {
  int iterations = 200;     // at most
  double tolerance = 1e-6;  // stops when a step lowers the value by less, relative to it
};

// Walks from x to a local minimum and returns the value there. Deterministic.
double minimise(const SmoothFunction& function, std::vector<double>& x,
                const MinimiseOptions& options = {});

}  // namespace spml
