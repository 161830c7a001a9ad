// Matrices typed by hand or drawn at random for the tests of metrics.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "spml/view.h"

namespace spml {

struct Scored {
  size_t rows = 0, cols = 0;
  std::vector<float> score_values;
  std::vector<int8_t> truth_values;

  View<const float> scores() const { return {score_values.data(), rows, cols}; }
  View<const int8_t> truth() const { return {truth_values.data(), rows, cols}; }
};

// `levels` distinct scores in [-1, 1) (few make many ties); a tenth of the entries are positive.
inline Scored random_scored(size_t rows, size_t cols, uint64_t levels, uint64_t seed) {
  Scored s{rows, cols, std::vector<float>(rows * cols), std::vector<int8_t>(rows * cols)};
  CounterRng rng(seed, Stream::kSynthetic);
  for (float& x : s.score_values) {
    x = static_cast<float>(2.0 * static_cast<double>(rng.below(levels)) / levels - 1.0);
  }
  for (int8_t& y : s.truth_values) y = rng.below(10) == 0 ? 1 : 0;
  return s;
}

}  // namespace spml
