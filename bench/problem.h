// Random training data in memory, and the trainer set up on it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/dataset.h"
#include "linear/linear_model.h"
#include "recording_loss.h"
#include "train/loop.h"
#include "train/table_estimator.h"

namespace spml {

struct Shape {
  std::string name;
  size_t rows, features, labels;  // N, D, L
};

// Features like pooled activations, one positive label in each row.
class Problem {
 public:
  explicit Problem(const Shape& shape);

  const Shape shape;
  const double k = 1.5;
  std::vector<float> values;     // (N, D)
  std::vector<int8_t> labels;    // (N, L)
  std::vector<int32_t> rows;     // 0 .. N-1
  const FeatureMatrix features;  // of values
  const LabelMatrix observed;    // of labels
  const LabelMatrix truth;       // none
};

struct Setting {
  std::string loss;
  size_t batch = 16;
  int threads = 1;
  double lr = 1e-3;
};

// All that the loop of the program trains with.
class Trainer {
 public:
  Trainer(const Problem& problem, const Setting& setting);

  const Problem& problem;
  const Setting setting;
  const LossInfo& info;
  const LossParameters params;
  const std::unique_ptr<const Loss> loss;
  RecordingLoss recording;
  TrainingLabels labels;
  LinearModel model;
  const std::unique_ptr<TableEstimator> estimator;
  const Evaluator validation;
  Loop loop;
};

}  // namespace spml
