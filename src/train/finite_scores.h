// A model whose scores are no numbers is none.
#pragma once

#include <cmath>
#include <string_view>

#include "base/fail.h"
#include "train/evaluator.h"

namespace spml {

// Error, which begins with `what`, where a logit was not finite: khat is NaN then.
inline void expect_finite(const Evaluation& evaluation, std::string_view what) {
  if (std::isfinite(evaluation.khat)) return;
  fail("{}: expected finite scores, found others; check the scale of the features and of the steps",
       what);
}

}  // namespace spml
