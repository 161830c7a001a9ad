// Parameters that several losses have, declared once.
#pragma once

#include "spml/loss.h"

namespace spml {

inline constexpr LossParameter kLogEpsilon = {
    .name = "log_epsilon",
    .default_value = 0,
    .min = 0,
    .max = 1,
    .help =
        "0: logarithms exact from logits; above 0: log(p + log_epsilon), in value and gradient "
        "(1e-5 is the code released with the paper)"};

inline constexpr LossParameter kLambda = {
    .name = "lambda",
    .default_value = 1,
    .help = "weight of the expected-positive regulariser ((khat - k)/L)^2"};

inline constexpr LossParameter kPositiveScale = {
    .name = "positive_scale",
    .default_value = 1,
    .help =
        "weight of the observed labels' term; L gives the form of the paper's text, 1 that of "
        "its released code"};

}  // namespace spml
