// Linear classifiers with a penalty on their weights, solved for until nothing is left to gain. For
// every label j by itself, as liblinear and scikit-learn state it:
//
//   minimise  |w_j|^2 / 2 + penalty b_j^2 / 2 + C sum_i a_ij loss(w_j x_i + b_j; q_ij)
//
// with targets q in [0, 1] and weights a >= 0. Newton's method with conjugate gradients and a line
// search; all labels that are still moving share each product with the features. Deterministic for
// any number of threads.
#pragma once

#include <functional>
#include <vector>

#include "convex/feature_products.h"
#include "convex/margin_loss.h"
#include "linear/linear_fit.h"
#include "spml/view.h"

namespace spml {

struct ConvexProblem {
  MarginLoss loss = MarginLoss::kLogistic;
  View<const float> targets;  // q (L, n): label by label
  View<const float> weights;  // a (L, n); where empty, all 1
  double strength = 1;        // C
  double bias_penalty = 0;    // 0 as in scikit-learn's lbfgs, 1 as in liblinear with -B 1
  double tolerance = 1e-4;    // of the gradient's norm, relative to what it is where w and b are 0
  int iterations = 100;       // of Newton's method, at most
  int threads = 1;
  std::function<void()> between_parts;  // called now and then; may throw to stop
};

struct ConvexResult {
  LinearFit fit;
  std::vector<double> objective;  // (L)
  std::vector<double> gradient;   // (L) norm, relative to where w and b are 0
  int iterations = 0;
};

// Starts from `start`, such as the solution for another C, or from 0 where it is empty.
ConvexResult solve_convex(const FeatureProducts& features, const ConvexProblem& problem,
                          LinearFit start = {});

// The bytes that it takes, beside the features.
uint64_t bytes_to_solve(size_t rows, size_t labels, size_t columns);

}  // namespace spml
