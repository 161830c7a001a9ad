// A small problem that a linear classifier can solve, for the tests of the public interface.
#pragma once

#include <random>

#include "spml/spml.h"

namespace spml {

struct Toy {
  Matrix<float> features;   // (N, D)
  Matrix<int8_t> truth;     // (N, L)
  Matrix<int8_t> observed;  // one positive of each row

  TrainingData data() const {
    TrainingData arrays;
    arrays.features = features;
    arrays.observed = observed;
    arrays.truth = truth;
    return arrays;
  }
};

// Label j is present where a random direction of the features says so; at least one per row.
inline Toy make_toy(size_t rows = 200, size_t cols = 8, size_t labels = 4, uint32_t seed = 1) {
  std::mt19937 random(seed);
  const auto draw = [&] { return static_cast<float>(random() % 2001) / 1000.0F - 1.0F; };
  Matrix<float> directions(labels, cols);
  for (float& w : directions.flat()) w = draw();
  Toy toy{Matrix<float>(rows, cols), Matrix<int8_t>(rows, labels), {}};
  for (size_t i = 0; i < rows; ++i) {
    for (float& x : toy.features.row(i)) x = draw();
    size_t best = 0;
    float best_score = -1e9F;
    for (size_t j = 0; j < labels; ++j) {
      float score = 0;
      for (size_t d = 0; d < cols; ++d) score += directions(j, d) * toy.features(i, d);
      toy.truth(i, j) = score > 0.5F;
      if (score > best_score) best = j, best_score = score;
    }
    toy.truth(i, best) = 1;
  }
  toy.observed = draw_observed(toy.truth);
  return toy;
}

inline TrainOptions quick(const char* loss = "an", int epochs = 3) {
  TrainOptions options;
  options.loss = loss;
  options.epochs = epochs;
  options.lr = 0.01;
  options.threads = 1;
  return options;
}

}  // namespace spml
