// Parameters that several losses have, declared once.
#pragma once

#include <algorithm>

#include "loss/info.h"

namespace spml {

inline constexpr LossParameter kLogEpsilon = {
    .name = "log_epsilon",
    .default_value = 0,
    .min = 0,
    .max = 1,
    .help = "0: exact logarithms; above: log(p + log_epsilon), as in the released code (1e-5)"};

inline constexpr LossParameter kLambda = {
    .name = "lambda",
    .default_value = 1,
    .help = "weight of the expected-positive regulariser ((khat - k)/L)^2"};

inline constexpr LossParameter kPositiveScale = {
    .name = "positive_scale",
    .default_value = 1,
    .help = "weight of the observed labels; 1 as in the released code, L as in the paper's text"};

constexpr LossParameter warm_up(double default_value) {
  return {.name = "warm_up",
          .default_value = default_value,
          .max = 1,
          .help = "share of the epochs, one at least, that train before anything is inferred"};
}

inline int warm_up_epochs(double share, int epochs) {
  return std::max(1, static_cast<int>(share * epochs));
}

}  // namespace spml
