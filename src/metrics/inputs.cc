#include "metrics/inputs.h"

#include <cmath>
#include <span>

#include "base/fail.h"

namespace spml {
namespace {

// x - x is 0 for a finite x and NaN otherwise; the sum has no branch, so the loop vectorises.
bool all_finite(std::span<const float> values) {
  int bad = 0;
  for (const float x : values) bad += !(x - x == 0.0F);
  return bad == 0;
}

}  // namespace

void check_metric_inputs(View<const float> scores, View<const int8_t> truth) {
  if (scores.rows != truth.rows || scores.cols != truth.cols) {
    fail("metrics: expected scores and truth of one shape, found scores {} x {} and truth {} x {}",
         scores.rows, scores.cols, truth.rows, truth.cols);
  }
  for (size_t i = 0; i < scores.rows; ++i) {
    if (all_finite({scores.row(i), scores.cols})) continue;
    for (size_t j = 0; j < scores.cols; ++j) {
      if (std::isfinite(scores(i, j))) continue;
      fail("metrics: expected finite scores, found {} at row {}, column {}; check the model",
           scores(i, j), i, j);
    }
  }
}

}  // namespace spml
