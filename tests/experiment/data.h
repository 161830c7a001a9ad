// Data in memory for tests of training: labels that the features tell apart.
#pragma once

#include <string>
#include <vector>

#include "data/dataset.h"
#include "data/observe.h"
#include "settings/config.h"

namespace spml {

struct SmallData {
  size_t rows = 60, labels = 4, features = 5;
  bool truth = true, test = true;
};

// Row i has label i % L and, every third row, the next one too.
inline Dataset small_data(const SmallData& shape = {}) {
  const size_t N = shape.rows, L = shape.labels, D = shape.features;
  std::vector<int8_t> truth(N * L);
  std::vector<float> features(N * D);
  for (size_t i = 0; i < N; ++i) {
    truth[i * L + i % L] = 1;
    if (i % 3 == 0) truth[i * L + (i + 1) % L] = 1;
    for (size_t j = 0; j < L; ++j) features[i * D + j % D] += truth[i * L + j];
    features[i * D + D - 1] = static_cast<float>(i % 7) / 7;
  }
  Dataset data;
  data.name = "small";
  LabelMatrix all(truth, N, L);
  data.train_file.observed = draw_observed(all, {});
  data.train_file.features = FeatureMatrix(features, N, D);
  if (shape.test) {
    data.test.truth = LabelMatrix(truth, N, L);
    data.test.features = FeatureMatrix(features, N, D);
  }
  if (shape.truth) data.train_file.truth = std::move(all);
  check_dataset(data);
  return data;
}

// A few epochs on it.
inline TrainConfig config_of(const std::string& loss) {
  TrainConfig config;
  config.loss = loss;
  config.lr = 0.05;
  config.batch = 8;
  config.epochs = 3;
  return config;
}

}  // namespace spml
