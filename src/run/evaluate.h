// How good a trained model is on rows whose labels are known.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decide/quality.h"
#include "metrics/average_precision.h"
#include "metrics/ranking.h"
#include "run/trained_model.h"

namespace spml {

// What can be told where there is truth.
struct TruthMetrics {
  MapResult map;
  RankingResult ranking;
  F1Result f1;                   // at the model's thresholds, of calibrated probabilities
  double calibration_error = 0;  // of those, over all entries
  std::vector<ReliabilityBin> reliability;
};

struct ModelEvaluation {
  std::optional<TruthMetrics> metrics;
  std::optional<ExpectedQuality> expected;  // of val without truth, as the run recorded it
  std::vector<float> thresholds;            // (L) that f1 is at
  double khat = 0;      // predicted positives per row, by calibrated probabilities
  double khat_raw = 0;  // by the sigmoid of the scores
  size_t rows = 0, labels = 0;
  std::vector<std::string> classes;
};

// Scores `rows` of the features against the same rows of the truth, which may be empty. Holds some
// labels of all rows, then all labels of some rows, never N x L scores.
ModelEvaluation evaluate_model(TrainedModel& model, const FeatureMatrix& features,
                               std::span<const int32_t> rows, const LabelMatrix& truth,
                               std::span<const int32_t> truth_rows, int threads);

// What `spml evaluate --json` prints.
std::string json_text(const ModelEvaluation& evaluation);

}  // namespace spml
